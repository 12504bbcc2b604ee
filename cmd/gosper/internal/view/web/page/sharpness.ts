// How many pixels of a picture are worth drawing. While pictures follow each other and the graphics card cannot draw them in time, they are coarse.
// The last one is drawn again, sharp, once nothing moves.

const wanted = 25; // ms for a picture
const slow = 36; // ms from turn to turn of the screen, above which pictures come too late for thirty a second
const coarsest = 1 / 4;
const steps = 8; // sizes of pictures: a canvas that changes its size is made again
const restsAfter = 250; // ms without a new picture

export class Sharpness {
  /** Whether the picture has fewer pixels than one of something at rest. */
  coarse = false;
  private share = 1; // of the pixels, each way
  private last = 0; // the time of the last turn
  private painted = false; // in that turn
  private ended = -restsAfter; // the turn after the last picture

  /** A turn of the screen begins, at a time in ms. moves says that more pictures are to come. */
  turn(now: number, moves = false): void {
    if (this.painted) {
      const passed = now - this.last;
      this.share = Math.min(Math.max(this.share * (passed > slow ? Math.sqrt(wanted / passed) : 1.05), coarsest), 1);
    }
    if (this.painted || moves) this.ended = now;
    this.painted = false;
    this.last = now;
  }

  /** Whether the last picture was long ago. */
  get rests(): boolean {
    return this.last - this.ended >= restsAfter;
  }

  /** A picture is drawn in this turn. Returns the share of its pixels, each way. */
  paint(): number {
    this.painted = true;
    const share = this.rests ? 1 : Math.ceil(steps * this.share) / steps;
    this.coarse = share < 1;
    return share;
  }
}
