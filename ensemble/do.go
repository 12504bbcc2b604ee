package ensemble

import "context"

// Do does a job as Job.Encode wrote it, and returns its result as Result.Encode does: what a queue of jobs wants of a worker.
func (r *Runner) Do(ctx context.Context, job []byte) ([]byte, error) {
	j, err := DecodeJob(job)
	if err != nil {
		return nil, err
	}
	measured, err := r.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	return measured.Encode()
}
