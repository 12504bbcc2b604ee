var L=class{width=1;height=1;now={x:0,y:0,zoom:4};target={...this.now};anchor=null;still=!1;get arrived(){let{now:e,target:t}=this;return e.x===t.x&&e.y===t.y&&e.zoom===t.zoom}advance(e){let{now:t,target:n}=this;if(this.arrived)return!1;let r=this.still?1:1-Math.exp(-.022*e),s=Math.log(n.zoom/t.zoom);t.zoom*=Math.exp(s*r),Math.abs(s)<.001&&(t.zoom=n.zoom),this.anchor?(t.x=this.anchor.x-(this.anchor.px-this.width/2)/t.zoom,t.y=this.anchor.y-(this.anchor.py-this.height/2)/t.zoom):(t.x+=(n.x-t.x)*r,t.y+=(n.y-t.y)*r);let o=Math.max(Math.abs(n.x-t.x),Math.abs(n.y-t.y))*t.zoom;return t.zoom===n.zoom&&(this.anchor||o<.25)&&(this.anchor?this.target={...t}:this.now={...n},this.anchor=null),!0}pan(e,t){this.settle(),this.now.x-=e/this.now.zoom,this.now.y-=t/this.now.zoom,this.target={...this.now}}glide(e,t){this.anchor=null,this.target.x+=e*this.width/this.now.zoom,this.target.y+=t*this.height/this.now.zoom}zoomBy(e,t=this.width/2,n=this.height/2){let[r,s]=this.cellAt(t,n);this.anchor={px:t,py:n,x:r,y:s},this.target.zoom=R(this.target.zoom*e)}pinch(e,t,n,r,s){this.settle();let[o,c]=this.cellAt(t-r,n-s);this.now.zoom=R(this.now.zoom*e),this.now.x=o-(t-this.width/2)/this.now.zoom,this.now.y=c-(n-this.height/2)/this.now.zoom,this.target={...this.now}}goTo(e,t=!1){this.anchor=null,this.target={...e,zoom:R(e.zoom)},t&&(this.now={...this.target})}fit(e,t=0,n=0,r=0,s=0,o=!1){let c=Math.max(this.width-r-s,16),l=Math.max(this.height-t-n,16),a=Math.min(c/(Math.max(e.w,1)*1.08),l/(Math.max(e.h,1)*1.08),24),h=R(a<4?a:Math.floor(a)),u=e.x+e.w/2+(s-r)/2/h,m=e.y+e.h/2+(n-t)/2/h;this.goTo({x:u,y:m,zoom:h},o)}cellAt(e,t){return[this.now.x+(e-this.width/2)/this.now.zoom,this.now.y+(t-this.height/2)/this.now.zoom]}visible(){let e=this.width/this.now.zoom,t=this.height/this.now.zoom;return{x:this.now.x-e/2,y:this.now.y-t/2,w:e,h:t}}destination(){return this.anchor?{...this.now,zoom:this.target.zoom}:{...this.target}}settle(){this.anchor=null,this.target={...this.now}}};function R(i){return Math.min(Math.max(i,1/281474976710656),96)}function $(i){return i>=1?0:Math.ceil(-Math.log2(i)-1e-9)}var W=`:host {
  --paper: #f7f5f0;
  --ink: #1f1e1b;
  --accent: #c2521b;
  --beyond: #e8e4da;
  --soft: #69665d;
  --line: rgb(31 30 27 / 0.13);
  display: inline-flex;
  flex-direction: column;
  position: relative;
  box-sizing: border-box;
  width: 480px;
  height: 320px;
  max-width: 100%;
  overflow: hidden;
  border: 1px solid var(--line);
  border-radius: 10px;
  background: var(--paper);
  color: var(--ink);
  font: 13px/1.4 ui-sans-serif, system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums;
  text-align: left;
  vertical-align: top;
}

:host([hidden]),
[hidden] {
  display: none !important;
}

@media (prefers-color-scheme: dark) {
  :host {
    --paper: #131311;
    --ink: #ece8df;
    --accent: #ff9a5a;
    --beyond: #090908;
    --soft: #a09c92;
    --line: rgb(236 232 223 / 0.15);
  }
}

.picture {
  position: relative;
  flex: 1;
  min-height: 0;
  overflow: hidden;
}

canvas {
  position: absolute;
  inset: 0;
  width: 100%;
  height: 100%;
  cursor: grab;
  touch-action: pan-x pan-y; /* two fingers are ours, one scrolls the page */
}

canvas.dragging {
  cursor: grabbing;
}

.labels {
  position: absolute;
  inset: 0;
  overflow: hidden;
  pointer-events: none;
}

.labels span {
  position: absolute;
  top: 0;
  left: 0;
  color: var(--accent);
  font-weight: 500;
  line-height: 1.2;
  white-space: pre;
  transform-origin: 0 0;
}

.notice {
  position: absolute;
  inset: auto 8px 8px;
  margin: 0;
  padding: 6px 10px;
  border: 1px solid var(--line);
  border-radius: 8px;
  background: var(--paper);
  color: var(--soft);
  overflow-wrap: anywhere;
}

.notice.wrong {
  color: var(--accent);
}

.bar {
  display: flex;
  align-items: center;
  gap: 1px;
  padding: 3px;
  border-top: 1px solid var(--line);
}

.readout {
  flex: 1;
  min-width: 0;
  padding: 0 6px;
  overflow: hidden;
  color: var(--soft);
  text-overflow: ellipsis;
  white-space: nowrap;
}

.icon {
  display: grid;
  flex: none;
  place-items: center;
  width: 30px;
  height: 30px;
  padding: 0;
  border: 0;
  border-radius: 8px;
  background: none;
  color: inherit;
  cursor: pointer;
}

.icon:hover {
  background: var(--line);
}

.icon:focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: -2px;
}

svg {
  width: 18px;
  height: 18px;
  fill: none;
  stroke: currentColor;
  stroke-width: 1.7;
  stroke-linecap: round;
  stroke-linejoin: round;
}
`;function E(i,e,t,n,r=document.documentElement){let s=getComputedStyle(r),o=a=>H(s.getPropertyValue(a)),[c,l]=t?[o("--ink"),o("--paper")]:[o("--paper"),o("--ink")];return{paper:c,ink:l,accent:o("--accent"),beyond:o("--beyond"),ages:i,grid:e,states:(n??[]).map(H)}}var K=0,V=-1;function _(i,e){return i.channel?V:i.density?K:e}function q(i,e){let t=new Uint8Array(262144);for(let n=0;n<256;n++)for(let r=0;r<256;r++){let s=xe(i,e,n,r);t.set([255*s[0]+.5,255*s[1]+.5,255*s[2]+.5,255],4*(256*n+r))}return t}var fe=72,ye=96;function xe({paper:i,ink:e,accent:t,ages:n,states:r},s,o,c){if(s===V){let[a,h]=[o>>4,o&15];if(a===0)return h>0?f(i,e,.06+.01*h):i;let u=(a-1)/14;return f(f(i,e,.35),t,u)}let l=n?f(t,e,D(c/fe)):e;return o===0?n&&s===2?f(i,t,.16*(1-D(c/ye))):i:s===K?f(i,l,.3+.7*Math.min(o/15,1)**.9):o<r.length?r[o]:s===2?l:o===1?e:f(i,t,Math.max(1-.86*(o-1)/(s-1),0))}function f(i,e,t){return[i[0]+(e[0]-i[0])*t,i[1]+(e[1]-i[1])*t,i[2]+(e[2]-i[2])*t]}function D(i){return i=Math.min(Math.max(i,0),1),i*i*(3-2*i)}function H(i){let e=parseInt(i.trim().slice(1),16);return[(e>>16)/255,(e>>8&255)/255,(e&255)/255]}function ve(i,e){return e.grid?{each:.2*Math.min(Math.max((i-6)/10,0),1),tenth:.12*Math.min(Math.max(i/devicePixelRatio-4,0),1)}:{each:0,tenth:0}}function Y(i,e,t,n){let{zoom:r}=e.now,s=e.visible(),{each:o,tenth:c}=ve(r,t),[l,a]=[Math.max(s.x,n?.x??s.x),Math.max(s.y,n?.y??s.y)],h=Math.min(s.x+s.w,n?n.x+n.w:1/0),u=Math.min(s.y+s.h,n?n.y+n.h:1/0),m=Math.max(Math.round(devicePixelRatio),1),[d,g]=[p=>Math.round((p-s.x)*r),p=>Math.round((p-s.y)*r)],x=(p,w,k)=>{if(!(k===0||l>h||a>u)){i.fillStyle=`rgb(${w.map(b=>255*b).join(" ")} / ${k})`;for(let b=Math.ceil(l/p)*p;b<=h;b+=p)i.fillRect(d(b)-(m>>1),g(a),m,g(u)-g(a));for(let b=Math.ceil(a/p)*p;b<=u;b+=p)i.fillRect(d(l),g(b)-(m>>1),d(h)-d(l),m)}};x(1,f(t.paper,t.ink,.5),o),x(10,t.ink,c)}function Z(i){if(i.byteLength<40)return null;let e=new DataView(i);if(e.getUint8(0)!==1)return null;let t=e.getUint32(24,!0),n=e.getUint32(28,!0),r=e.getUint8(1),s=Math.ceil(t*r/32);return i.byteLength!==40+4*s*n?null:{sampleBits:r,scale:e.getUint8(2),density:(e.getUint8(3)&1)!==0,channel:(e.getUint8(3)&4)!==0,sampled:(e.getUint8(3)&2)!==0,sequence:e.getUint32(4,!0),x:Number(e.getBigInt64(8,!0)),y:Number(e.getBigInt64(16,!0)),w:t,h:n,generation:e.getBigUint64(32,!0),words:s,bits:new Uint32Array(i,40)}}function J(i,e,t){let n=e*i.sampleBits;return i.bits[t*i.words+(n>>5)]>>>(n&31)&(1<<i.sampleBits)-1}var M=class{readyState=WebSocket.CONNECTING;binaryType="arraybuffer";onopen=null;onmessage=null;onclose=null;worker;constructor(e,t){this.worker=new Worker(e,t&&{name:"element"}),t?.then(n=>this.worker.postMessage(n)).catch(n=>this.end(String(n))),this.worker.onmessage=n=>{if(n.data!==null){this.onmessage?.(n);return}this.readyState=WebSocket.OPEN,this.onopen?.(n)},this.worker.onerror=n=>this.end(n.message)}send(e){this.worker.postMessage(e)}close(){this.end("")}end(e){this.worker.terminate(),this.readyState=WebSocket.CLOSED,this.onclose?.(new CloseEvent("close",{reason:e}))}};var we=new Map([[1008,"session"],[4410,"gone"]]),ke=1013,B=250,X=4e3,Me="gosper.1",C=class{constructor(e,t,n,r=()=>new M("worker.js"),s="stats"){this.url=e;this.secrets=t;this.on=n;this.local=r;this.probe=s;this.open()}url;secrets;on;local;probe;socket=null;wait=B;closed=!1;seen=0;may=null;get isOpen(){return this.socket?.readyState===WebSocket.OPEN}send(e){return this.may&&!this.may.has(e.do)?this.refuse():(this.isOpen&&this.socket.send(JSON.stringify(e)),this.isOpen)}sendPattern(e){return this.may?this.refuse():(this.isOpen&&this.socket.send(e),this.isOpen)}refuse(){return this.on.problem("You are watching: this link changes nothing."),!1}acknowledge(){this.seen>0&&this.send({do:"ack",sequence:this.seen}),this.seen=0}retry(e){this.secrets.token=e,this.wait=B,this.open()}close(){this.closed=!0,this.socket?.close()}open(){if(this.closed)return;let e=this.dial();e.binaryType="arraybuffer",this.socket=e;let t=!1;e.onopen=()=>{t=!0,this.wait=B,this.seen=0,this.on.connected()},e.onmessage=n=>this.receive(n.data),e.onclose=async n=>{if(this.socket=null,this.closed)return;let r=this.url&&we.get(n.code);if(r){this.on.disconnected({refused:r,words:n.reason});return}if(!t&&await this.isRefused()){this.on.disconnected({refused:"token",words:""});return}let s=n.code===ke;s&&(this.wait=X),this.on.disconnected({refused:null,words:s?n.reason:""}),setTimeout(()=>this.open(),this.wait),this.wait=Math.min(2*this.wait,X)}}dial(){if(!this.url)return this.local();let{token:e,key:t,person:n}=this.secrets,r=[Me];return e&&r.push("token."+T(e)),t&&r.push("key."+T(t)),n&&r.push("person."+T(n)),new WebSocket(this.url,r)}async isRefused(){if(!this.url)return!1;try{let{token:e}=this.secrets;return(await fetch(this.probe,{headers:e?{Authorization:"Bearer "+e}:{}})).status===401}catch{return!1}}receive(e){if(typeof e!="string"){Se(e)&&this.on.film(e);let n=Z(e);if(!n)return;this.seen=n.sequence,this.on.frame(n);return}let t=JSON.parse(e);t.session&&(this.may=t.session.may&&new Set(t.session.may),t.session.editKey&&(this.secrets.key=t.session.editKey),this.on.session?.(t.session)),t.status&&this.on.status(t.status),t.series&&this.on.series(t.series.map(([n,r,s])=>({generation:n,population:r,activity:s}))),t.pattern!==void 0&&this.on.pattern(t.pattern),t.clip&&this.on.clip({...t.clip,cells:Uint8Array.from(atob(t.clip.cells),n=>n.charCodeAt(0))}),t.area&&this.on.area({x:t.area[0],y:t.area[1],w:t.area[2],h:t.area[3]}),t.objects&&this.on.objects(t.objects),t.places&&this.on.places(t.places),t.sized!==void 0&&this.on.sized(t.sized),t.problem!==void 0&&this.on.problem(t.problem)}};function Se(i){return i.byteLength>0&&new Uint8Array(i)[0]===71}function T(i){let e=new TextEncoder().encode(i);return btoa(String.fromCharCode(...e)).replaceAll("+","-").replaceAll("/","_").replaceAll("=","")}function Q(i){return String(i).replace(/\B(?=(\d{3})+$)/g," ")}var N=["","k","M","G","T","P","E"];function ee(i){if(!isFinite(i))return"–";let e=0;for(;i>=999.5&&e<N.length-1;)i/=1e3,e++;let t=e===0&&Number.isInteger(i)||i>=99.95?0:i>=9.995?1:2;return i.toFixed(t)+(N[e]?" "+N[e]:"")}async function te(i){let e=await ie(new TextEncoder().encode(i),new CompressionStream("deflate-raw"));return btoa(Array.from(e,n=>String.fromCharCode(n)).join("")).replaceAll("+","-").replaceAll("/","_").replaceAll("=","")}async function ne(i,e=""){if(i.includes("!"))return new TextEncoder().encode((e&&`#r ${e}
`)+i);let t=atob(i.replaceAll("-","+").replaceAll("_","/"));return ie(Uint8Array.from(t,n=>n.charCodeAt(0)),new DecompressionStream("deflate-raw"))}async function ie(i,e){return new Uint8Array(await new Response(new Blob([i]).stream().pipeThrough(e)).arrayBuffer())}function re(i){let e=new Map;for(let c of i.replace(/^#/,"").split("&")){let l=c.indexOf("=");l>0&&e.set(c.slice(0,l),ze(c.slice(l+1)))}let t={},n=c=>/^\d{1,20}$/.test(e.get(c)??"")?e.get(c):void 0;t.rule=e.get("rule"),t.pattern=e.get("pattern"),t.start=e.get("start"),t.rle=e.get("rle")??e.get("cells"),t.seed=n("seed"),t.generation=n("generation");let r=Number(e.get("density"));e.has("density")&&r>=0&&r<=1&&(t.density=r);let s=/^(\d{1,10})x(\d{1,10})$/.exec(e.get("size")??"");s&&(t.size=[Number(s[1]),Number(s[2])]);let o=(e.get("at")??"").split(",").map(Number);return o.length===3&&o.every(isFinite)&&o[2]>0&&(t.at=o),Object.values(t).some(c=>c!==void 0)?t:null}function U(i){let{rule:e="",generation:t="0",density:n=.5,seed:r,size:s,start:o="",rle:c=""}=i;if(r!==void 0){let[l,a]=s??[0,0];return{do:"soup",rule:e,width:l,height:a,unbounded:s!==void 0,density:n,seed:r,generation:t,start:o,cells:c}}return i.pattern?{do:"builtin",name:i.pattern,rule:e,generation:t}:null}function se(i){let e=[],t=(n,r)=>{r!==void 0&&r!==""&&e.push(`${n}=${Ae(String(r))}`)};return t("rule",i.rule),t("pattern",i.pattern),t("start",i.start),t("rle",i.rle),t("size",i.size?.join("x")),t("density",i.density),t("seed",i.seed),t("generation",i.generation),t("at",i.at?.map(n=>Number(n.toPrecision(12))).join(",")),"#"+e.join("&")}function Ae(i){return i.replace(/[%&#\s"<>`]/g,encodeURIComponent)}function ze(i){try{return decodeURIComponent(i)}catch{return i}}var oe=255,P=class{constructor(e){this.canvas=e;let t=e.getContext("2d",{alpha:!1});if(!t)throw new Error("This browser cannot draw: it has neither WebGL2 nor a canvas.");this.context=t}canvas;context;picture=document.createElement("canvas");frame=null;ages=new Uint8Array(0);alive=new Uint8Array(0);strangers=!1;colours=new Uint32Array(0);coloured="";get current(){return this.frame}forget(){this.strangers=!0}take(e,t,n){this.mix(t,_(e,n));let r=this.strangers?null:this.frame,s=r&&e.generation>=r.generation&&e.scale===r.scale,[o,c]=s?[(e.x-r.x)/2**e.scale,(e.y-r.y)/2**e.scale]:[0,0],l=s?Math.min(Number(e.generation-r.generation),48):0,[a,h]=[new Uint8Array(e.w*e.h),new Uint8Array(e.w*e.h)],u=new Uint32Array(e.w*e.h);for(let m=0,d=0;m<e.h;m++)for(let g=0;g<e.w;g++,d++){let x=J(e,g,m),p=oe,[w,k]=[g+o,m+c];if(s&&w>=0&&k>=0&&w<r.w&&k<r.h){let b=k*r.w+w;p=this.alive[b]===+(x>0)?Math.min(this.ages[b]+l,oe):0}a[d]=p,h[d]=+(x>0),u[d]=this.colours[256*x+p]}[this.ages,this.alive,this.frame,this.strangers]=[a,h,e,!1],(this.picture.width!==e.w||this.picture.height!==e.h)&&([this.picture.width,this.picture.height]=[e.w,e.h]),this.picture.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(u.buffer),e.w,e.h),0,0)}paint(e,t,n){let{context:r,frame:s}=this,{width:o,height:c}=e;(this.canvas.width!==o||this.canvas.height!==c)&&([this.canvas.width,this.canvas.height]=[o,c]);let{zoom:l}=e.now,a=e.visible();r.setTransform(1,0,0,1,0,0),r.fillStyle=ae(n?t.beyond:t.paper),r.fillRect(0,0,o,c);let h=(u,m)=>[(u-a.x)*l,(m-a.y)*l];if(r.save(),n&&(r.beginPath(),r.rect(...h(n.x,n.y),n.w*l,n.h*l),r.clip(),r.fillStyle=ae(t.paper),r.fillRect(0,0,o,c)),s){let u=2**s.scale*l;r.imageSmoothingEnabled=u<1,r.drawImage(this.picture,...h(s.x,s.y),s.w*u,s.h*u)}r.restore()}copy(e){e.drawImage(this.canvas,0,0)}mix(e,t){let n=JSON.stringify([e,t]);n!==this.coloured&&(this.coloured=n,this.colours=new Uint32Array(q(e,t).buffer))}};function ae([i,e,t]){return`rgb(${255*i} ${255*e} ${255*t})`}function le(i,e){let t=new Map,n=null,r=null,s=a=>{let h=i.getBoundingClientRect(),u=e.camera.width/h.width;return{x:(a.clientX-h.left)*u,y:(a.clientY-h.top)*u}},o=a=>{let[h,u]=e.camera.cellAt(a.x,a.y);return[Math.floor(h),Math.floor(u)]},c=()=>{n&&e.end(),n=null};i.addEventListener("pointerdown",a=>{if(a.pointerType==="mouse"&&a.button>1)return;i.setPointerCapture(a.pointerId);let h=s(a);if(t.set(a.pointerId,h),r=t.size===1?h:null,t.size>1)n&&e.cancel(),n=null;else if(e.drawing()&&a.button===0){let[u,m]=o(h);e.begin(u,m)&&(n={id:a.pointerId,x:u,y:m})}i.classList.toggle("dragging",!n)}),i.addEventListener("pointermove",a=>{let h=t.get(a.pointerId);if(e.hover(...o(s(a))),!h)return;let u=s(a);if(r&&Math.hypot(u.x-r.x,u.y-r.y)>4*devicePixelRatio&&(r=null),n?.id===a.pointerId){let[m,d]=o(u);(m!==n.x||d!==n.y)&&e.line(n.x,n.y,m,d),n={id:a.pointerId,x:m,y:d}}else if(t.size===1)e.camera.pan(u.x-h.x,u.y-h.y),e.moved();else if(t.size===2){let m=[...t].find(([w])=>w!==a.pointerId)[1],d=Math.hypot(h.x-m.x,h.y-m.y),g=Math.hypot(u.x-m.x,u.y-m.y),[x,p]=[(u.x+m.x)/2,(u.y+m.y)/2];e.camera.pinch(g/Math.max(d,1),x,p,(u.x-h.x)/2,(u.y-h.y)/2),e.moved()}t.set(a.pointerId,u)});let l=a=>{t.delete(a.pointerId),a.type==="pointerup"&&r&&!n&&e.click?.(...o(r)),r=null,n?.id===a.pointerId&&c(),t.size===0&&i.classList.remove("dragging")};i.addEventListener("pointerup",l),i.addEventListener("pointercancel",l),i.addEventListener("dblclick",a=>e.twice?.(...o(s(a)),a.shiftKey)),i.addEventListener("wheel",a=>{if(e.takesWheel&&!e.takesWheel(a))return;a.preventDefault();let h=s(a),u=a.deltaMode===WheelEvent.DOM_DELTA_LINE?24:a.deltaMode===WheelEvent.DOM_DELTA_PAGE?240:1,m=a.ctrlKey?.01:.0022;e.camera.zoomBy(Math.exp(-a.deltaY*u*m),h.x,h.y),e.moved()},{passive:!1}),i.addEventListener("contextmenu",a=>a.preventDefault())}async function ue(i){let e=new URL("gosper.wasm",i),t=await fetch(e,{method:"HEAD"});if(t.ok&&t.headers.get("Content-Encoding"))return he((await ce(e)).body);let n=await ce(new URL("gosper.wasm.gz",i)),[r,s]=n.body.tee(),o=r.getReader(),c=await o.read();return o.cancel(),he(c.value?.[0]===0?s:s.pipeThrough(new DecompressionStream("gzip")))}async function ce(i){let e=await fetch(i);if(!e.ok||!e.body)throw new Error(`${i}: ${e.status} ${e.statusText}`);return e}function he(i){return WebAssembly.compileStreaming(new Response(i,{headers:{"Content-Type":"application/wasm"}}))}function O(i,e=""){let t={autostart:!1,grid:!1,labels:[]};for(let[,n]of i.matchAll(/\[\[\s([\s\S]*?)\s\]\]/g))me(n,t);return me(e,t),t}function me(i,e){let t=i.match(/"[^"\n]*"|\S+/g)??[],n=0,r=l=>{let a=t.slice(n,n+l).map(Re);return a.length<l||a.some(isNaN)?null:(n+=l,a)},s=()=>{let l=r(1)?.[0];return l!==void 0&&Number.isSafeInteger(l)&&l>0?l:void 0},o=()=>r(2),c=()=>{let l=r(1)?.[0];return l===void 0||l===0?void 0:l<0?-1/l:l};for(;n<t.length;)switch(t[n++].toUpperCase()){case"AUTOSTART":e.autostart=!0;break;case"GRID":e.grid=!0;break;case"GPS":e.gps=r(1)?.find(l=>l>0)??e.gps;break;case"STEP":e.step=s()??e.step;break;case"STOP":e.stop=s()??e.stop;break;case"LOOP":e.loop=s()??e.loop;break;case"ZOOM":case"Z":e.zoom=c()??e.zoom;break;case"X":e.x=r(1)?.[0]??e.x;break;case"Y":e.y=r(1)?.[0]??e.y;break;case"TRACK":e.track=o()??e.track;break;case"TRACKLOOP":e.loop=s()??e.loop,e.track=o()??e.track;break;case"LABEL":{let l=r(2),a=c(),h=t[n];if(!l||a===void 0||!h?.startsWith('"'))break;n++,e.labels.length<100&&e.labels.push({x:l[0],y:l[1],zoom:a,text:h.replaceAll('"',"").replaceAll("\\n",`
`)})}}}function Re(i){let e=/^([-+]?\d+(?:\.\d*)?)(?:\/(\d+))?$/.exec(i);return e?Number(e[1])/(e[2]?Number(e[2]):1):NaN}var de=1<<22,z=32,A=.06,Le={x:-(2**60),y:-(2**60),w:2**61,h:2**61};function I(i,e,t){let n=e??Le,r=i.visible(),s=$(i.now.zoom);for(;r.w/2**s*(r.h/2**s)*(1+2*A)**2>de;)s++;if(t&&t.scale===s&&Pe(t,pe(r,n))&&!Ee(t,r))return t;let o=2**s,c={x:r.x-A*r.w,y:r.y-A*r.h,w:(1+2*A)*r.w,h:(1+2*A)*r.h},l=pe(c,n),a=z*o,h=Math.floor(l.x/a)*a,u=Math.floor(l.y/a)*a,m=Math.max(Math.ceil((l.x+l.w-h)/a),1)*z,d=Math.max(Math.ceil((l.y+l.h-u)/a),1)*z;return m=Math.max(Math.min(m,Math.ceil((n.x+n.w-h)/o)),1),d=Math.max(Math.min(d,Math.ceil((n.y+n.h-u)/o)),1),m*d>de?I(Ce(i),e,t):{x:h,y:u,scale:s,w:m,h:d}}function Ce(i){let e=Object.create(i);return e.width=i.width/2,e.height=i.height/2,e.now={...i.now,zoom:i.now.zoom/2},e}function pe(i,e){let t=(c,l,a)=>Math.min(Math.max(c,l),a),n=t(i.x,e.x,e.x+e.w-1),r=t(i.y,e.y,e.y+e.h-1),s=t(i.x+i.w,n+1,e.x+e.w),o=t(i.y+i.h,r+1,e.y+e.h);return{x:n,y:r,w:s-n,h:o-r}}function Pe(i,e){let t=2**i.scale;return i.x<=e.x&&i.y<=e.y&&i.x+i.w*t>=e.x+e.w&&i.y+i.h*t>=e.y+e.h}function Ee(i,e){let t=2**i.scale;return i.w*t>1.6*e.w+2*z*t||i.h*t>1.6*e.h+2*z*t}var j=new URL(".",import.meta.url).href,Te="200px",Ne=30,Ue=.2,Oe=2,Ie=16,F=null,y={play:"M8 5.5v13l10.5-6.5z",pause:"M8.5 5.5v13M15.5 5.5v13",step:"M6.5 6v12l8.5-6zM17.5 6v12",start:"M17.5 6v12L9 12zM6.5 6v12",plus:"M6 12h12M12 6v12",minus:"M6 12h12",fit:"M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15",page:"M10 5H5v14h14v-5M14 4.5h5.5V10M19 5l-8 8"},G=class extends HTMLElement{static observedAttributes=["rle","src","link","rule","script","width","height","controls"];canvas=document.createElement("canvas");labels=v("div","labels");readout=v("span","readout");notice=v("p","notice");bar=v("div","bar");toggle=S("Play",y.play,()=>this.paused?this.play():this.pause());page=v("a","icon");camera=new L;screen=new P(this.canvas);look=E(!0,!1,!1,null,this);link=null;script=O("");told;status=null;universe=null;region=null;arrived=null;origin=null;reads=0;done=null;resets=!1;plays=!1;late=0;moved=!1;inView=!1;ticks=!1;last=0;dirty=!0;watcher=new IntersectionObserver(e=>this.appear(e.at(-1).isIntersecting),{rootMargin:Te});sizes=new ResizeObserver(()=>this.resize());dark=matchMedia("(prefers-color-scheme: dark)");relook=()=>{this.readLook(),this.screen.current&&this.screen.take(this.screen.current,this.look,this.status?.states??2),this.dirty=!0};constructor(){super();let e=this.attachShadow({mode:"open"}),t=new CSSStyleSheet;t.replaceSync(W),e.adoptedStyleSheets=[t],this.canvas.role="img",this.notice.role="status",this.bar.role="toolbar",this.bar.ariaLabel="Run",this.notice.hidden=this.bar.hidden=!0,Object.assign(this.page,{title:"Open in a page of its own",ariaLabel:"Open in a page of its own",target:"_blank",rel:"noopener"}),this.page.append(be(y.page));let n=v("div","picture");n.append(this.canvas,this.labels,this.notice),this.bar.append(this.toggle,S("Next generation",y.step,()=>this.step()),S("Back to the start",y.start,()=>this.reset()),this.readout,S("Zoom out",y.minus,()=>this.move(()=>this.camera.zoomBy(.5))),S("Zoom in",y.plus,()=>this.move(()=>this.camera.zoomBy(2))),S("Show everything",y.fit,()=>this.move(()=>this.fit())),this.page),e.append(n,this.bar),le(this.canvas,{camera:this.camera,drawing:()=>!1,begin:()=>!1,line:()=>{},end:()=>{},cancel:()=>{},hover:()=>{},moved:()=>this.move(()=>{}),takesWheel:r=>r.ctrlKey||r.metaKey})}connectedCallback(){this.relook(),this.dark.addEventListener("change",this.relook),this.camera.still=matchMedia("(prefers-reduced-motion: reduce)").matches,this.watcher.observe(this),this.sizes.observe(this.canvas)}disconnectedCallback(){this.watcher.disconnect(),this.sizes.disconnect(),this.dark.removeEventListener("change",this.relook),this.inView=!1,this.link?.close(),this.link=this.status=this.origin=this.region=null,this.reads++}attributeChangedCallback(e,t,n){e==="width"||e==="height"?this.style[e]=Number(n)>0?`${Number(n)}px`:"":e==="controls"?this.bar.hidden=n===null:this.status&&this.load()}get generation(){return this.origin?Number(this.status.generation):NaN}get population(){return this.origin&&this.status.counted===this.status.generation?Number(this.status.population):NaN}get paused(){return!this.plays}play(){this.plays=!0,this.late=0,this.show()}pause(){this.plays=!1,this.show()}step(){this.plays?this.pause():this.origin&&!this.done&&this.advance(1)}reset(){if(!this.origin)return;let{generation:e}=this.origin;this.resets=this.done!==null,!this.resets&&(this.plays||this.lookAtStart(),this.generation!==e&&(this.link?.send({do:"jump",generation:String(e)}),this.done=t=>!t.playing&&t.loading===null&&Number(t.generation)===e))}appear(e){this.inView=e,e&&(this.link??=this.begin(),this.ticks||requestAnimationFrame(this.tick),this.ticks=!0,this.last=performance.now())}begin(){F??=ue(j);let e=F;return e.catch(t=>{F=null,this.complain(t instanceof Error?t.message:String(t))}),new C("",{token:""},{frame:t=>this.arrived=t,status:t=>this.learn(t),problem:t=>{this.complain(t),this.done=null,this.pause()},connected:()=>{this.link.send({do:"view",x:0,y:0,scale:0,w:1,h:1}),this.load()},disconnected:()=>{this.link?.close(),this.notice.hidden&&this.complain("The universe has ended: its worker stopped.")},series:()=>{},pattern:()=>{},film:()=>{},clip:()=>{},area:()=>{},objects:()=>{},places:()=>{},sized:()=>{}},()=>new M(new URL("worker.js",j).href,e))}async load(){let e=++this.reads,t=this.status?.loaded??"1";this.origin=null,this.notice.hidden=!0;let n;try{n=await this.read()}catch(a){e===this.reads&&this.complain(a instanceof Error?a.message:String(a));return}if(e!==this.reads||!this.link)return;let{bytes:r,text:s,link:o}=n;this.script=O(s,this.getAttribute("script")??""),this.told=o.at,this.moved=!1;let c=Number(o.generation??0);this.done=a=>a.loaded!==t&&a.loading===null&&!a.playing&&Number(a.generation)>=c,r?(this.link.sendPattern(r),c>0&&this.link.send({do:"jump",generation:String(c)})):this.link.send(U(o));let l=s&&await te(s);this.page.href=new URL("index.html",j).href+se(l?{rle:l}:o),this.page.hidden=r!==null&&(!l||l.length>16e3)}async read(){let e=this.getAttribute("rule")??"",[t,n,r]=["rle","src","link"].map(o=>this.getAttribute(o));if(r){let o=re(r.slice(r.indexOf("#")));if(o?.rle&&!o.start)return{...await this.cells(o.rle,o.rule??e),link:o};if(!o||!U(o))throw new Error("The link names no universe: it wants rle, pattern or seed.");return{bytes:null,text:"",link:o}}if(n){let o=await fetch(new URL(n,this.baseURI));if(!o.ok)throw new Error(`${n}: ${o.status} ${o.statusText}`);let c=new Uint8Array(await o.arrayBuffer()),l=c[0]===31&&c[1]===139;return{bytes:c,text:l?"":new TextDecoder().decode(c),link:{}}}let s=t??this.textContent.replace(/^\s+/gm,"");if(!s.trim())throw new Error("There is nothing to show: the element wants rle, src, link or the text of a pattern.");return{...await this.cells(s,e),link:{}}}async cells(e,t){try{let n=await ne(e,t);return{bytes:n,text:new TextDecoder().decode(n)}}catch{throw new Error("The pattern cannot be read: a part of it may be missing.")}}learn(e){let t=this.status;this.status=e,this.universe=e.bounded?{x:0,y:0,w:e.width,h:e.height}:null,t&&(e.loaded!==t.loaded||e.rule!==t.rule)&&(this.screen.forget(),this.arrived=null,this.link.acknowledge()),this.done?.(e)&&(this.done=null,this.origin?this.plays&&Number(e.generation)===this.script.stop&&this.pause():this.start(e),this.resets&&this.reset()),this.show()}start(e){let[t,n,r,s]=e.box;this.origin={generation:Number(e.generation),box:{x:t,y:n,w:r,h:s}},this.canvas.ariaLabel=`${e.name||e.ruleName||e.rule}, a cellular automaton`,this.labels.replaceChildren(...this.script.labels.map(o=>Object.assign(v("span",""),{textContent:o.text}))),this.readLook(),this.lookAtStart(),(this.script.autostart||this.hasAttribute("autoplay"))&&this.play()}readLook(){this.look=E(!0,this.script.grid,!1,this.status?.colours??null,this)}show(){let e=this.status;this.toggle.ariaLabel=this.toggle.title=this.plays?"Pause":"Play",this.toggle.querySelector("path").setAttribute("d",this.plays?y.pause:y.play),this.readout.textContent=e&&this.origin?`${Q(e.generation)}${this.clientWidth>400?` · ${ee(Number(e.population))} alive`:""}`:""}complain(e){this.notice.textContent=e,this.notice.hidden=!1}tick=e=>{if(this.ticks=this.inView&&this.link!==null,!this.ticks)return;let t=Math.min(Math.max(e-this.last,0),100);this.last=e,this.camera.advance(t)&&(this.dirty=!0),this.ask();let n=this.arrived;this.arrived=null,n&&(this.screen.take(n,this.look,this.status?.states??2),this.track(Number(n.generation)),this.dirty=!0),this.dirty&&this.paint(),n&&this.link.acknowledge(),this.drive(t/1e3),requestAnimationFrame(this.tick)};drive(e){if(!this.plays||!this.origin)return;let{gps:t=Ne,step:n=1,stop:r,loop:s}=this.script;if(this.late=Math.min(this.late+e,Math.max(Ue,1/t)),this.done)return;let o=this.generation;if(s!==void 0&&o>=s&&s>this.origin.generation){this.reset();return}let c=Math.floor(this.late*t+1e-9);c<1||(this.late-=c/t,this.advance(Math.min(c*n,...[r,s].filter(l=>l!==void 0&&l>o).map(l=>l-o))))}advance(e){let t=this.generation+e;this.link?.send({do:"step",n:String(e)}),this.done=n=>!n.playing&&Number(n.generation)>=t}ask(){if(!this.origin)return;let e=I(this.camera,this.universe,this.region);e!==this.region&&(this.region=e,this.link.send({do:"view",...e,x:e.x/2**e.scale,y:e.y/2**e.scale}))}paint(){this.screen.paint(this.camera,this.look,this.universe),Y(this.canvas.getContext("2d"),this.camera,this.look,this.universe),this.dirty=!1;let{now:e}=this.camera,t=this.camera.visible(),{box:n}=this.origin??{box:{x:0,y:0}};this.script.labels.forEach((r,s)=>{let o=this.labels.children[s];if(!o)return;let c=Math.min(e.zoom/this.sharpness/r.zoom,4);o.hidden=c<.4;let[l,a]=[n.x+r.x-t.x,n.y+r.y-t.y].map(h=>h*e.zoom/this.sharpness);o.style.transform=`translate(${l}px, ${a}px) scale(${c})`,o.style.fontSize=`${Ie}px`})}get sharpness(){return Math.min(devicePixelRatio,Oe)}resize(){let{canvas:e,camera:t}=this;t.width=e.width=Math.max(1,Math.round(e.clientWidth*this.sharpness)),t.height=e.height=Math.max(1,Math.round(e.clientHeight*this.sharpness)),this.origin&&!this.moved&&this.lookAtStart(),this.dirty=!0}move(e){this.moved=!0,e(),this.dirty=!0}fit(){let[e,t,n,r]=this.status?.box??[0,0,0,0];n>0&&this.camera.fit({x:e,y:t,w:n,h:r})}lookAtStart(){this.moved=!1,this.camera.goTo(this.home(),!0),this.track(this.generation),this.dirty=!0}home(){if(this.told)return{x:this.told[0],y:this.told[1],zoom:this.told[2]};let{box:e}=this.origin,{zoom:t,x:n=0,y:r=0}=this.script;return this.camera.fit(e,0,0,0,0,!0),{x:e.x+e.w/2+n,y:e.y+e.h/2+r,zoom:t===void 0?this.camera.now.zoom:t*this.sharpness}}track(e){let{track:t}=this.script;if(!t||this.moved||!this.origin)return;let{x:n,y:r,zoom:s}=this.home(),o=e-this.origin.generation;this.camera.goTo({x:n+o*t[0],y:r+o*t[1],zoom:s},!0)}};function v(i,e){return Object.assign(document.createElement(i),{className:e})}function be(i){let e=r=>document.createElementNS("http://www.w3.org/2000/svg",r),[t,n]=[e("svg"),e("path")];return t.setAttribute("viewBox","0 0 24 24"),t.ariaHidden="true",n.setAttribute("d",i),t.append(n),t}function S(i,e,t){let n=Object.assign(v("button","icon"),{type:"button",title:i,ariaLabel:i,onclick:t});return n.append(be(e)),n}customElements.define("gosper-life",G);export{G as GosperLife};
