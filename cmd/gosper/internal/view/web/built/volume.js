"use strict";(()=>{function P(r){if(r.byteLength<40)return null;let e=new DataView(r);if(e.getUint8(0)!==1)return null;let t=e.getUint32(24,!0),i=e.getUint32(28,!0),n=e.getUint8(1),s=Math.ceil(t*n/32);return r.byteLength!==40+4*s*i?null:{sampleBits:n,scale:e.getUint8(2),density:(e.getUint8(3)&1)!==0,channel:(e.getUint8(3)&4)!==0,sampled:(e.getUint8(3)&2)!==0,sequence:e.getUint32(4,!0),x:Number(e.getBigInt64(8,!0)),y:Number(e.getBigInt64(16,!0)),w:t,h:i,generation:e.getBigUint64(32,!0),words:s,bits:new Uint32Array(r,40)}}function ce(r,e,t){let i=e*r.sampleBits;return r.bits[t*r.words+(i>>5)]>>>(i&31)&(1<<r.sampleBits)-1}function O(r,e,t){let[i,n]=[e-r.x,t-r.y];return i<0||n<0||i>=r.w||n>=r.h?0:ce(r,i,n)}function G(r,e,t,i){let[n,s]=[e-r.x,t-r.y];if(n<0||s<0||n>=r.w||s>=r.h)return;let a=n*r.sampleBits,o=s*r.words+(a>>5),l=(1<<r.sampleBits)-1<<(a&31);r.bits[o]=r.bits[o]&~l|i<<(a&31)}var y=class{readyState=WebSocket.CONNECTING;binaryType="arraybuffer";onopen=null;onmessage=null;onclose=null;worker;constructor(e,t){this.worker=new Worker(e,t&&{name:"element"}),t?.then(i=>this.worker.postMessage(i)).catch(i=>this.end(String(i))),this.worker.onmessage=i=>{if(i.data!==null){this.onmessage?.(i);return}this.readyState=WebSocket.OPEN,this.onopen?.(i)},this.worker.onerror=i=>this.end(i.message)}send(e){this.worker.postMessage(e)}close(){this.end("")}end(e){this.worker.terminate(),this.readyState=WebSocket.CLOSED,this.onclose?.(new CloseEvent("close",{reason:e}))}};var he=new Map([[1008,"session"],[4410,"gone"]]),ue=1013,B=250,V=4e3,de="gosper.1",w=class{constructor(e,t,i,n=()=>new y("worker.js"),s="stats"){this.url=e;this.secrets=t;this.on=i;this.local=n;this.probe=s;this.open()}url;secrets;on;local;probe;socket=null;wait=B;closed=!1;seen=0;may=null;get isOpen(){return this.socket?.readyState===WebSocket.OPEN}send(e){return this.may&&!this.may.has(e.do)?this.refuse():(this.isOpen&&this.socket.send(JSON.stringify(e)),this.isOpen)}sendPattern(e){return this.may?this.refuse():(this.isOpen&&this.socket.send(e),this.isOpen)}refuse(){return this.on.problem("You are watching: this link changes nothing."),!1}acknowledge(){this.seen>0&&this.send({do:"ack",sequence:this.seen}),this.seen=0}retry(e){this.secrets.token=e,this.wait=B,this.open()}close(){this.closed=!0,this.socket?.close()}open(){if(this.closed)return;let e=this.dial();e.binaryType="arraybuffer",this.socket=e;let t=!1;e.onopen=()=>{t=!0,this.wait=B,this.seen=0,this.on.connected()},e.onmessage=i=>this.receive(i.data),e.onclose=async i=>{if(this.socket=null,this.closed)return;let n=this.url&&he.get(i.code);if(n){this.on.disconnected({refused:n,words:i.reason});return}if(!t&&await this.isRefused()){this.on.disconnected({refused:"token",words:""});return}let s=i.code===ue;s&&(this.wait=V),this.on.disconnected({refused:null,words:s?i.reason:""}),setTimeout(()=>this.open(),this.wait),this.wait=Math.min(2*this.wait,V)}}dial(){if(!this.url)return this.local();let{token:e,key:t,person:i}=this.secrets,n=[de];return e&&n.push("token."+R(e)),t&&n.push("key."+R(t)),i&&n.push("person."+R(i)),new WebSocket(this.url,n)}async isRefused(){if(!this.url)return!1;try{let{token:e}=this.secrets;return(await fetch(this.probe,{headers:e?{Authorization:"Bearer "+e}:{}})).status===401}catch{return!1}}receive(e){if(typeof e!="string"){fe(e)&&this.on.film(e);let i=P(e);if(!i)return;this.seen=i.sequence,this.on.frame(i);return}let t=JSON.parse(e);t.session&&(this.may=t.session.may&&new Set(t.session.may),t.session.editKey&&(this.secrets.key=t.session.editKey),this.on.session?.(t.session)),t.status&&this.on.status(t.status),t.series&&this.on.series(t.series.map(([i,n,s])=>({generation:i,population:n,activity:s}))),t.pattern!==void 0&&this.on.pattern(t.pattern),t.clip&&this.on.clip({...t.clip,cells:Uint8Array.from(atob(t.clip.cells),i=>i.charCodeAt(0))}),t.area&&this.on.area({x:t.area[0],y:t.area[1],w:t.area[2],h:t.area[3]}),t.objects&&this.on.objects(t.objects),t.places&&this.on.places(t.places),t.sized!==void 0&&this.on.sized(t.sized),t.problem!==void 0&&this.on.problem(t.problem)}};function fe(r){return r.byteLength>0&&new Uint8Array(r)[0]===71}function R(r){let e=new TextEncoder().encode(r);return btoa(String.fromCharCode(...e)).replaceAll("+","-").replaceAll("/","_").replaceAll("=","")}function _(r,e,t,i,n=document.documentElement){let s=getComputedStyle(n),a=u=>D(s.getPropertyValue(u)),[o,l]=t?[a("--ink"),a("--paper")]:[a("--paper"),a("--ink")];return{paper:o,ink:l,accent:a("--accent"),beyond:a("--beyond"),ages:r,grid:e,states:(i??[]).map(D)}}function p(r,e,t){return[r[0]+(e[0]-r[0])*t,r[1]+(e[1]-r[1])*t,r[2]+(e[2]-r[2])*t]}function D(r){let e=parseInt(r.trim().slice(1),16);return[(e>>16)/255,(e>>8&255)/255,(e&255)/255]}function v(r){return String(r).replace(/\B(?=(\d{3})+$)/g," ")}var A=["","k","M","G","T","P","E"];function H(r){if(!isFinite(r))return"–";let e=0;for(;r>=999.5&&e<A.length-1;)r/=1e3,e++;let t=e===0&&Number.isInteger(r)||r>=99.95?0:r>=9.995?1:2;return r.toFixed(t)+(A[e]?" "+A[e]:"")}var $=Math.PI/6,x=Math.tan($/2),k=class{yaw=30;pitch=25;zoom=1;turn(e,t){this.yaw=(this.yaw+e)%360,this.pitch=Math.min(Math.max(this.pitch+t,-90),90)}magnify(e){this.zoom=Math.min(Math.max(this.zoom*e,.2),20)}eye(e){let[t,i]=[Math.sin(this.yaw*Math.PI/180),Math.cos(this.yaw*Math.PI/180)],[n,s]=[Math.sin(this.pitch*Math.PI/180),Math.cos(this.pitch*Math.PI/180)],a=[-t*s,n,i*s],o=[i,0,t],l=e.low.map((f,m)=>(f+e.high[m])/2),u=Math.hypot(...e.low.map((f,m)=>e.high[m]-f))/2,h=u/Math.sin($/2)/this.zoom;return{at:l.map((f,m)=>f-h*a[m]),right:o,down:me(a,o),forward:a,near:h-u,far:h+u}}};function me(r,e){return[r[1]*e[2]-r[2]*e[1],r[2]*e[0]-r[0]*e[2],r[0]*e[1]-r[1]*e[0]]}function W(r,e,t,i,n){let s=Math.min(i,n)/2,[a,o]=[(e-i/2)/s*x,(t-n/2)/s*x];return r.forward.map((l,u)=>l+a*r.right[u]+o*r.down[u])}function j(r,e,t){let i=[...r.low],n=[...r.high];return t[e.axis]>e.at+.5?(n[e.axis]=e.at+1,{box:{low:i,high:n},side:1}):(i[e.axis]=e.at,{box:{low:i,high:n},side:0})}function K(r,e,t,i,n){let s=(r.at+e-i[r.axis])/n[r.axis];if(!(s>0))return null;let a=i.map((o,l)=>Math.floor(o+s*n[l]));return a[r.axis]=r.at,a.every((o,l)=>o>=t.low[l]&&o<t.high[l])?a:null}var E=class{constructor(e,t,i){this.input=e;this.list=t;this.of=i;e.addEventListener("input",()=>this.offer(e.value)),e.addEventListener("focus",()=>e.select()),e.addEventListener("click",()=>{this.list.hidden&&(e.select(),this.offer(""))}),e.addEventListener("blur",()=>this.close()),e.addEventListener("keydown",n=>this.key(n)),t.addEventListener("pointerdown",n=>n.preventDefault()),t.addEventListener("click",n=>{let s=n.target.closest("li");s&&this.choose(this.offers[Number(s.dataset.index)])})}input;list;of;offers=[];active=-1;asked;undrawn;set value(e){document.activeElement!==this.input&&(this.input.value=e)}renew(){this.asked!==void 0&&this.offer(this.asked)}offer(e){this.asked=e,this.offers=pe(this.of,e),this.active=-1,this.undrawn?.disconnect(),this.list.replaceChildren(...this.offers.map((t,i)=>{let n=document.createElement("li");n.id=`${this.list.id}-${i}`,n.role="option",n.dataset.index=String(i),n.ariaSelected="false";let s=document.createElement("span");return s.className="note",s.textContent=this.of.note(t),n.append(this.of.name(t),s),n})),this.of.draw&&this.drawInView(),this.list.hidden=this.offers.length===0,this.input.ariaExpanded=String(!this.list.hidden),this.list.scrollTop=0,this.list.scrollIntoView({block:"nearest"})}drawInView(){this.undrawn=new IntersectionObserver((e,t)=>{for(let{isIntersecting:i,target:n}of e)i&&(t.unobserve(n),this.of.draw(this.offers[Number(n.dataset.index)],n.querySelector("canvas")))},{root:this.list});for(let e of this.list.children){let t=document.createElement("canvas");t.ariaHidden="true",e.prepend(t),this.undrawn.observe(e)}}close(){this.asked=void 0,this.list.hidden=!0,this.input.ariaExpanded="false",this.input.removeAttribute("aria-activedescendant")}key(e){if(e.key==="ArrowDown"||e.key==="ArrowUp")e.preventDefault(),this.list.hidden?this.offer(""):this.move(e.key==="ArrowDown"?1:-1);else if(e.key==="Enter"){e.preventDefault();let t=this.offers[this.active];t&&!this.list.hidden?this.choose(t):this.input.value.trim()&&(this.close(),this.of.typed(this.input.value.trim()))}else e.key==="Escape"&&(e.stopPropagation(),this.list.hidden?this.input.blur():this.close())}move(e){let t=this.list.children;if(t.length===0)return;t[this.active]?.setAttribute("aria-selected","false"),this.active=(this.active+e+t.length)%t.length;let i=t[this.active];i.setAttribute("aria-selected","true"),i.scrollIntoView({block:"nearest"}),this.input.setAttribute("aria-activedescendant",i.id)}choose(e){this.input.value=this.of.name(e),this.input.select(),this.close(),this.of.take(e)}};function pe(r,e){let t=e.toLowerCase().split(/\s+/).filter(Boolean);if(t.length===0)return r.all();let i=n=>r.name(n).toLowerCase().startsWith(e.toLowerCase())?0:1;return r.all().filter(n=>t.every(s=>r.words(n).toLowerCase().includes(s))).sort((n,s)=>i(n)-i(s)).slice(0,60)}var S=class{rules=[];combo;constructor(e,t,i){this.combo=new E(e,t,{all:()=>this.rules,name:n=>n.name,note:n=>n.notation,words:n=>[n.name,...n.aliases,n.notation,n.kind].join(" "),take:n=>i(n.name,n),typed:n=>i(n)})}set catalogue(e){this.rules=e,this.combo.renew()}find(e){return this.rules.find(t=>t.name===e)}set value(e){this.combo.value=e}};function I(r,e){let t=new RegExp(`(?:^#|&)${r}=([^&]*)`).exec(location.hash);if(t){sessionStorage.setItem(e,decodeURIComponent(t[1]));let i=location.hash.replace(t[0],t[0].startsWith("#")?"#":"").replace(/^#&?$/,"");history.replaceState(null,"",location.pathname+i)}return sessionStorage.getItem(e)??""}function X(){let r=localStorage.getItem("person");if(r)return r;let e=Array.from(crypto.getRandomValues(new Uint8Array(16)),t=>t.toString(16).padStart(2,"0")).join("");return localStorage.setItem("person",e),e}function q(){return I("token","token")}var ge="new";function Y(){if(document.documentElement.dataset.session===void 0)return"";let r=location.pathname.split("/").at(-1);if(r!==ge)return r;let e=Array.from(crypto.getRandomValues(new Uint8Array(8)),t=>"abcdefghijkmnpqrstuvwxyz23456789"[t%32]).join("");return history.replaceState(null,"",e+location.hash),e}var b=r=>"key:"+r;function J(r){return r?I("key",b(r))||(localStorage.getItem(b(r))??""):""}function Z(r){r.name&&r.editKey&&localStorage.setItem(b(r.name),r.editKey)}function Q(r){sessionStorage.removeItem(b(r)),localStorage.removeItem(b(r))}var C=30,ve=60,te=-5,ie=24,T=ie+1,ee=[-5,-4,-3,-2,-1,0,1,2,3,6,9,12,T],be=5e3,M=class{speed=null;until=0;ask(e,t){this.speed=e,this.until=t+be}lay(e,t){if(!this.speed)return;let{step:i,perSecond:n}=this.speed;t>this.until||e.step===i&&e.perSecond===n?this.speed=null:Object.assign(e,this.speed)}};function ye(r){let e=Number(r.step);return e===0?T:Math.min(Math.max(Math.round(Math.log2(e*r.perSecond/C)),te),ie)}function se(r){if(r=Math.min(Math.max(r,te),T),r===T)return{step:"0",perSecond:0};let e=Math.min(C*2**r,ve);return{step:String(C*2**r/e),perSecond:e}}function ne(r,e){let t=ye(r);return(e>0?ee.find(n=>n>t):ee.filter(n=>n<t).at(-1))??t}function N(r){let e=Number(r.step);return e===0?"full speed":H(e*r.perSecond)+" / s"}var we=`#version 300 es
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}`,U=`
precision highp float;
precision highp int;
precision highp usampler3D;
uniform usampler3D bits;
uniform int sampleBits;
uint stateOf(ivec3 c) {
  int bit = c.x * sampleBits;
  uint word = texelFetch(bits, ivec3(bit >> 5, c.y, c.z), 0).r;
  return (word >> uint(bit & 31)) & ((1u << uint(sampleBits)) - 1u);
}`,xe=`#version 300 es
${U}
uniform ivec3 size;
uniform int layer;
out uvec4 some;
void main() {
  ivec3 low = ivec3(ivec2(gl_FragCoord.xy), layer) * 8;
  ivec3 high = min(low + 8, size);
  int bit = low.x * sampleBits;
  int words = (size.x * sampleBits + 31) / 32;
  uint mask = sampleBits < 4 ? ((1u << uint(8 * sampleBits)) - 1u) << uint(bit & 31) : 0xffffffffu;
  uint any = 0u;
  for (int z = low.z; z < high.z; z++) {
    for (int y = low.y; y < high.y; y++) {
      any |= texelFetch(bits, ivec3(bit >> 5, y, z), 0).r & mask;
      if (sampleBits == 8 && (bit >> 5) + 1 < words) any |= texelFetch(bits, ivec3((bit >> 5) + 1, y, z), 0).r;
    }
  }
  some = uvec4(any == 0u ? 0u : 1u, 0u, 0u, 0u);
}`,ke=`#version 300 es
${U}
uniform usampler3D past; // alive, age
uniform uint elapsed; // generations; 256: nothing is known
uniform int layer;
out uvec4 now;
void main() {
  ivec3 at = ivec3(ivec2(gl_FragCoord.xy), layer);
  uint alive = stateOf(at) == 0u ? 0u : 1u;
  uvec4 was = texelFetch(past, at, 0);
  uint age = elapsed > 255u ? 255u : was.r == alive ? min(was.g + elapsed, 255u) : 0u;
  now = uvec4(alive, age, 0u, 0u);
}`,Ee=`#version 300 es
${U}
precision highp sampler2D;
uniform usampler3D bricks;
uniform usampler3D ages;
uniform sampler2D palette; // rows: by state, by age, by layer
uniform int colouring; // 0 state, 1 age, 2 layer, 3 position
uniform bool shadows;
uniform ivec3 size;
uniform ivec3 low;
uniform ivec3 high;
uniform int cutAxis; // of the slice; -1: there is none
uniform int cutSide; // of it that the viewer sees
uniform vec3 eye;
uniform vec3 right;
uniform vec3 down;
uniform vec3 forward;
uniform vec2 canvas;
uniform float slope;
uniform float near;
uniform float far;
uniform vec3 paper;
uniform vec3 line;
uniform vec3 accent;
out vec4 colour;

struct Hit {
  ivec3 cell;
  float at;
  int axis;
  int side;
};

// Where a ray enters and leaves the box.
bool enter(vec3 from, vec3 along, out Hit h, out float leaves, out int leavesBy) {
  h.at = 0.0;
  h.axis = -1;
  h.side = -1;
  h.cell = ivec3(0);
  leaves = 1e30;
  leavesBy = 0;
  for (int i = 0; i < 3; i++) {
    float a = along[i] == 0.0 ? 1e-20 : along[i];
    float n = (float(low[i]) - from[i]) / a;
    float f = (float(high[i]) - from[i]) / a;
    int side = -1;
    if (a < 0.0) {
      float t = n;
      n = f;
      f = t;
      side = 1;
    }
    if (n > h.at) {
      h.at = n;
      h.axis = i;
      h.side = side;
    }
    if (f < leaves) {
      leaves = f;
      leavesBy = i;
    }
  }
  if (h.at >= leaves) return false;
  h.cell = clamp(ivec3(floor(from + along * h.at)), low, high - 1);
  if (h.axis >= 0) h.cell[h.axis] = h.side > 0 ? high[h.axis] - 1 : low[h.axis];
  return true;
}

// The first live cell that a ray meets in the box.
bool meet(vec3 from, vec3 along, inout Hit h) {
  for (int n = 0; n < 4096; n++) {
    int stride = 8;
    if (texelFetch(bricks, h.cell >> 3, 0).r != 0u) {
      if (stateOf(h.cell) != 0u) {
        if (h.axis < 0) {
          h.axis = 2;
          h.side = along.z > 0.0 ? -1 : 1;
        }
        return true;
      }
      stride = 1;
    }
    ivec3 from0 = stride == 8 ? (h.cell >> 3) << 3 : h.cell;
    float next = 1e30;
    int axis = 0;
    for (int i = 0; i < 3; i++) {
      if (along[i] == 0.0) continue;
      float t = (float(from0[i] + (along[i] > 0.0 ? stride : 0)) - from[i]) / along[i];
      if (t < next) {
        next = t;
        axis = i;
      }
    }
    ivec3 cell = clamp(ivec3(floor(from + along * next)), from0, from0 + stride - 1);
    cell[axis] = along[axis] > 0.0 ? from0[axis] + stride : from0[axis] - 1;
    if (cell[axis] < low[axis] || cell[axis] >= high[axis]) return false;
    h.cell = clamp(cell, low, high - 1);
    h.at = next;
    h.axis = axis;
    h.side = along[axis] > 0.0 ? -1 : 1;
  }
  return false;
}

float solid(ivec3 c) {
  if (any(lessThan(c, low)) || any(greaterThanEqual(c, high))) return 0.0;
  return stateOf(c) == 0u ? 0.0 : 1.0;
}

float corner(ivec3 front, ivec3 a, ivec3 b) {
  float one = solid(front + a);
  float other = solid(front + b);
  return one + other > 1.5 ? 0.0 : (3.0 - one - other - solid(front + a + b)) / 3.0;
}

vec3 colourOf(ivec3 c) {
  if (colouring == 1) return texelFetch(palette, ivec2(int(texelFetch(ages, c, 0).g), 1), 0).rgb;
  if (colouring == 2) return texelFetch(palette, ivec2(c.z * 255 / max(size.z - 1, 1), 2), 0).rgb;
  if (colouring == 3) {
    vec3 part = vec3(c) / vec3(max(size - 1, ivec3(1)));
    return (70.0 + 180.0 * vec3(part.x, 1.0 - part.y, part.z)) / 255.0;
  }
  return texelFetch(palette, ivec2(int(stateOf(c)), 0), 0).rgb;
}

vec3 shade(vec3 along, Hit h, float wide) {
  vec3 p = eye + along * h.at;
  vec3 normal = vec3(0.0);
  normal[h.axis] = float(h.side);
  vec3 light = normalize(-forward - 0.45 * right - 0.8 * down);
  float bright = 0.42;
  float diffuse = dot(normal, light);
  if (diffuse > 0.0) {
    bool dark = false;
    if (shadows) {
      Hit s;
      float leaves;
      int by;
      vec3 from = p + normal * 1e-3;
      if (enter(from, light, s, leaves, by)) dark = meet(from, light, s);
    }
    if (!dark) bright += 0.58 * diffuse;
  }
  int a = (h.axis + 1) % 3;
  int b = (h.axis + 2) % 3;
  float fa = clamp(p[a] - float(h.cell[a]), 0.0, 1.0);
  float fb = clamp(p[b] - float(h.cell[b]), 0.0, 1.0);
  ivec3 front = h.cell;
  front[h.axis] += h.side;
  ivec3 da = ivec3(0);
  ivec3 db = ivec3(0);
  da[a] = 1;
  db[b] = 1;
  float open = mix(mix(corner(front, -da, -db), corner(front, -da, db), fb), mix(corner(front, da, -db), corner(front, da, db), fb), fa);
  bright *= 0.45 + 0.55 * open;
  if (min(min(fa, fb), min(1.0 - fa, 1.0 - fb)) < 0.05) bright *= 1.0 - 0.28 * min(1.0, 0.05 / (wide * h.at) / 2.0);
  float haze = 0.35 * clamp((h.at - near) / (far - near), 0.0, 1.0);
  return mix(colourOf(h.cell) * bright, paper, haze);
}

// 1 where a point on a face of the box is close to an edge.
float edge(vec3 p, int face, float width) {
  for (int i = 0; i < 3; i++) {
    if (i != face && (p[i] < float(low[i]) + width || p[i] > float(high[i]) - width)) return 1.0;
  }
  return 0.0;
}

void main() {
  float half_ = min(canvas.x, canvas.y) / 2.0;
  vec2 at = (vec2(gl_FragCoord.x, canvas.y - gl_FragCoord.y) - canvas / 2.0) / half_ * slope;
  vec3 along = forward + at.x * right + at.y * down;
  float wide = slope / half_;
  vec3 seen = paper;
  Hit h;
  float leaves;
  int leavesBy;
  if (enter(eye, along, h, leaves, leavesBy)) {
    Hit first = h;
    seen = mix(seen, line, 0.5 * edge(eye + along * leaves, leavesBy, 0.75 * wide * leaves));
    if (meet(eye, along, h)) seen = shade(along, h, wide);
    bool onSlice = first.axis == cutAxis && (first.side > 0) == (cutSide > 0);
    if (cutAxis >= 0 && onSlice) {
      vec3 p = eye + along * first.at;
      vec3 f = fract(p);
      f[cutAxis] = 0.5;
      float rim = min(min(min(f.x, 1.0 - f.x), min(f.y, 1.0 - f.y)), min(f.z, 1.0 - f.z));
      float grid = clamp(1.0 - rim / (0.75 * wide * first.at), 0.0, 1.0) * clamp(0.08 / (wide * first.at) - 0.4, 0.0, 1.0);
      bool alive = h.axis == first.axis && h.cell == first.cell;
      seen = alive ? mix(seen, colourOf(first.cell), 0.6) : mix(seen, accent, 0.12);
      seen = mix(seen, line, 0.5 * grid);
    }
    if (first.axis >= 0) seen = mix(seen, line, edge(eye + along * first.at, first.axis, 0.75 * wide * first.at));
  }
  colour = vec4(seen, 1.0);
}`,F=["state","age","depth","position"],L=class{constructor(e){this.canvas=e;let t=e.getContext("webgl2",{alpha:!1,antialias:!1});if(!t)throw new Error("This browser has no WebGL2, which draws the volume.");this.gl=t,this.rays=this.program(Ee),this.bricks=this.program(xe),this.aging=this.program(ke),this.buffer=t.createFramebuffer(),t.bindVertexArray(t.createVertexArray()),t.pixelStorei(t.UNPACK_ALIGNMENT,1)}canvas;gl;rays;bricks;aging;textures=new Map;buffer;now=0;aged=null;cells=null;sampleBits=1;get longest(){return this.gl.getParameter(this.gl.MAX_3D_TEXTURE_SIZE)}take(e,t,i){let n=this.gl,s=!this.cells||this.sampleBits!==e.sampleBits||["w","h","d","first"].some(l=>this.cells[l]!==t[l]);this.cells=t,this.sampleBits=e.sampleBits,this.bind("bits",0),n.texImage3D(n.TEXTURE_3D,0,n.R32UI,e.words,t.h,t.d,0,n.RED_INTEGER,n.UNSIGNED_INT,e.bits);let a=[t.w,t.h,t.d].map(l=>Math.ceil(l/8));if(s&&(this.allot("bricks",n.R8UI,n.RED_INTEGER,a),this.aged=null),this.pass(this.bricks,"bricks",a,l=>n.uniform3i(l("size"),t.w,t.h,t.d)),!i){this.aged=null;return}if(this.aged===null)for(let l of[0,1])this.allot("ages"+l,n.RG8UI,n.RG_INTEGER,[t.w,t.h,t.d]);let o=this.aged===null||e.generation<this.aged?256:Number(e.generation-this.aged<255n?e.generation-this.aged:255n);this.bind("ages"+this.now,1),this.now=1-this.now,this.pass(this.aging,"ages"+this.now,[t.w,t.h,t.d],l=>{n.uniform1i(l("past"),1),n.uniform1ui(l("elapsed"),o)}),this.aged=e.generation}paint(e,t,i,n){let{gl:s,cells:a}=this;if(s.bindFramebuffer(s.FRAMEBUFFER,null),s.viewport(0,0,this.canvas.width,this.canvas.height),!a){s.clearColor(...n.paper,1),s.clear(s.COLOR_BUFFER_BIT);return}s.useProgram(this.rays);let o=u=>s.getUniformLocation(this.rays,u),l=n.colouring==="age"&&this.aged!==null;for(let[u,[h,f]]of[["bits","bits"],["bricks","bricks"],["ages",l?"ages"+this.now:"bricks"]].entries())this.bind(f,u),s.uniform1i(o(h),u);s.activeTexture(s.TEXTURE3),s.bindTexture(s.TEXTURE_2D,this.texture("palette")),s.texImage2D(s.TEXTURE_2D,0,s.RGBA8,256,3,0,s.RGBA,s.UNSIGNED_BYTE,n.palette);for(let[u,h]of[[s.TEXTURE_MIN_FILTER,s.NEAREST],[s.TEXTURE_MAG_FILTER,s.NEAREST]])s.texParameteri(s.TEXTURE_2D,u,h);s.uniform1i(o("palette"),3),s.uniform1i(o("sampleBits"),this.sampleBits),s.uniform1i(o("colouring"),n.colouring==="age"&&!l?0:F.indexOf(n.colouring)),s.uniform1i(o("shadows"),Number(n.shadows)),s.uniform3i(o("size"),a.w,a.h,a.d),s.uniform3iv(o("low"),t.low),s.uniform3iv(o("high"),t.high),s.uniform1i(o("cutAxis"),i?i.axis:-1),s.uniform1i(o("cutSide"),i?i.side:0),s.uniform3fv(o("eye"),e.at),s.uniform3fv(o("right"),e.right),s.uniform3fv(o("down"),e.down),s.uniform3fv(o("forward"),e.forward),s.uniform2f(o("canvas"),this.canvas.width,this.canvas.height),s.uniform1f(o("slope"),x),s.uniform1f(o("near"),e.near),s.uniform1f(o("far"),e.far),s.uniform3fv(o("paper"),n.paper),s.uniform3fv(o("line"),n.line),s.uniform3fv(o("accent"),n.accent),s.drawArrays(s.TRIANGLES,0,3)}pass(e,t,[i,n,s],a){let o=this.gl;o.useProgram(e);let l=h=>o.getUniformLocation(e,h);this.bind("bits",0),o.uniform1i(l("bits"),0),o.uniform1i(l("sampleBits"),this.sampleBits),a(l);let u=l("layer");o.bindFramebuffer(o.FRAMEBUFFER,this.buffer),o.viewport(0,0,i,n);for(let h=0;h<s;h++)o.framebufferTextureLayer(o.FRAMEBUFFER,o.COLOR_ATTACHMENT0,this.texture(t),0,h),o.uniform1i(u,h),o.drawArrays(o.TRIANGLES,0,3);o.bindFramebuffer(o.FRAMEBUFFER,null)}texture(e){return this.textures.has(e)||this.textures.set(e,this.gl.createTexture()),this.textures.get(e)}bind(e,t){let i=this.gl;i.activeTexture(i.TEXTURE0+t),i.bindTexture(i.TEXTURE_3D,this.texture(e)),i.texParameteri(i.TEXTURE_3D,i.TEXTURE_MIN_FILTER,i.NEAREST),i.texParameteri(i.TEXTURE_3D,i.TEXTURE_MAG_FILTER,i.NEAREST)}allot(e,t,i,[n,s,a]){let o=this.gl;this.bind(e,2),o.texImage3D(o.TEXTURE_3D,0,t,n,s,a,0,i,o.UNSIGNED_BYTE,null)}program(e){let t=this.gl,i=t.createProgram();for(let[n,s]of[[t.VERTEX_SHADER,we],[t.FRAGMENT_SHADER,e]]){let a=t.createShader(n);t.shaderSource(a,s),t.compileShader(a),t.attachShader(i,a)}if(t.linkProgram(i),!t.getProgramParameter(i,t.LINK_STATUS)&&!t.isContextLost()){let n=(t.getAttachedShaders(i)??[]).map(s=>t.getShaderInfoLog(s)??"");throw new Error(`The graphics card refuses a shader: ${n.join(" ")} ${t.getProgramInfoLog(i)??""}`)}return i}};var re=1<<24,Se=5e3,Te=1.5,Me=72,c=r=>document.getElementById(r),d=r=>c(r),g=["x","y","z"],z=class{stage=c("universe");canvas=c("cells");voxels=new L(this.canvas);orbit=new k;status=null;asked=new M;frame=null;arrived=null;cells=null;box=null;slice=null;colouring="state";style;dirty=!0;stroke=null;drawn=1;pointers=new Map;noticeEnds=0;link;name=Y();rules;constructor(){this.style=this.restyle(),this.rules=new S(c("rule"),c("rule-list"),s=>this.link.send({do:"rule",rule:s})),fetch("volume-rules.json").then(s=>s.json()).then(s=>this.rules.catalogue=s);let e=new URL(this.name?`${this.name}/socket`:"socket",location.href.split("?")[0].replace(/^http/,"ws")).href.split("#")[0],t=()=>{},i={frame:s=>this.arrived=s,status:s=>this.learn(s),series:t,pattern:t,film:t,clip:t,area:t,objects:t,places:t,sized:t,session:s=>Z(s),problem:s=>this.notify(s,!0),connected:()=>{this.cells=null,this.hush(),this.link.send({do:"view",x:0,y:0,scale:0,w:1,h:1,channel:"density"})},disconnected:s=>{s.refused==="gone"&&Q(this.name),this.notify(s.words||(s.refused==="token"?"This server wants a token: open this page with #token=SECRET.":"The connection is lost."),!0,1/0)}},n={token:q(),key:J(this.name),person:X()};this.link=new w(e,n,i,void 0,this.name?"list.json":"stats"),this.connectRun(),this.connectLook(),this.connectPointer(),this.connectKeys(),this.openPanel(innerWidth>1e3),matchMedia("(prefers-color-scheme: dark)").addEventListener("change",()=>this.style=this.restyle()),requestAnimationFrame(s=>this.tick(s))}tick(e){let t=this.arrived;this.arrived=null;let{cells:i}=this;t&&i&&t.y===i.first*i.h&&t.w===i.w&&t.h===i.h*i.d&&(this.frame=t,this.voxels.take(t,i,this.colouring==="age"),this.dirty=!0,this.stage.dataset.frames=String(Number(this.stage.dataset.frames??0)+1),this.stage.dataset.generation=String(t.generation));let s=Math.min(devicePixelRatio,Te),[a,o]=[Math.round(this.stage.clientWidth*s),Math.round(this.stage.clientHeight*s)];(this.canvas.width!==a||this.canvas.height!==o)&&([this.canvas.width,this.canvas.height]=[a,o],this.dirty=!0),this.dirty&&this.paint(),t&&this.link.acknowledge(),this.noticeEnds>0&&e>this.noticeEnds&&this.hush(),requestAnimationFrame(l=>this.tick(l))}paint(){if(this.dirty=!1,!this.box||!this.frame)return;let{eye:e,box:t,side:i}=this.view(this.box);this.voxels.paint(e,t,this.slice&&{axis:this.slice.axis,side:i},this.style),this.stage.dataset.painted=String(Number(this.stage.dataset.painted??0)+1)}view(e){let t=this.orbit.eye(e);return{eye:t,...this.slice?j(e,this.slice,t.at):{box:e,side:0}}}learn(e){if(e.loading!==null&&(e.loaded==="0"||e.loading>=0)?this.notify(e.loading<0?"Reading the universe…":`Loading the universe: ${Math.round(100*e.loading)} %`,!1,1/0):this.noticeEnds===1/0&&!c("notice").classList.contains("wrong")&&this.hush(),e.loaded==="0")return;if(e.depth===0)return void(location.search="");let t=this.status;this.asked.lay(e,performance.now()),this.status=e;let[i,n]=[e.width,e.height/e.depth],s=this.voxels.longest;if(i*n>re||i>s||n>s){this.notify(`A layer of ${v(i)}×${v(n)} cells is too large for this page: gosper render draws it.`,!0,1/0);return}if(!this.cells||this.cells.w!==i||this.cells.h!==n||t?.depth!==e.depth){let a=Math.min(e.depth,Math.floor(re/(i*n)),s);this.cells={w:i,h:n,d:a,first:Math.floor((e.depth-a)/2)},this.box={low:[0,0,0],high:[i,n,a]},this.slice=null,this.frame=null,c("slice-axis").value="",d("size").value=[i,n,e.depth].every(o=>o===i)?String(i):`${i}x${n}x${e.depth}`,this.link.send({do:"view",x:0,y:this.cells.first*n,scale:0,w:i,h:a*n,channel:"density"}),this.showLook()}t?.rule!==e.rule&&(this.style=this.restyle(),this.rules.value=e.rule.split(":")[0],d("state").value="1",this.stage.dataset.states=String(e.states)),this.showStatus(e)}showStatus(e){c("rule-name").textContent=e.ruleName||e.rule.split(":")[0],document.title=`${e.ruleName||e.rule} · Gosper`;let t=c("readout");t.replaceChildren();for(let[i,n]of[[v(e.generation),"gen"],[v(e.population),"cells"]]){let s=document.createElement("b");s.textContent=i,t.append(s,` ${n} `)}Object.assign(t.dataset,{generation:e.generation,population:e.population,playing:String(e.playing)}),c("play-icon").setAttribute("href",e.playing?"#i-pause":"#i-play"),c("play").ariaLabel=e.playing?"Pause":"Play",c("speed").textContent=N(e),c("undo").disabled=!e.undo,c("redo").disabled=!e.redo,e.failure&&this.notify(e.failure,!0,1/0)}showLook(){let{box:e,cells:t,slice:i}=this;if(!e||!t)return;let n=[0,0,t.first];g.forEach((o,l)=>{for(let[u,h]of[[o+"0",e.low[l]+n[l]],[o+"1",e.high[l]-1+n[l]]])d(u).value=String(h)}),c("box-note").textContent=this.status&&t.d<this.status.depth?`The page shows layers ${t.first} to ${t.first+t.d-1} of ${this.status.depth}.`:"";let s=d("slice");if(s.disabled=!i,i){let o=n[i.axis];[s.min,s.max,s.value]=[String(e.low[i.axis]+o),String(e.high[i.axis]-1+o),String(i.at+o)]}c("slice-value").textContent=i?`${g[i.axis]} = ${s.value}`:"";let a=c("draw").ariaPressed==="true";this.stage.classList.toggle("drawing",a),this.dirty=!0}restyle(){let e=_(!1,!1,!1,this.status?.colours??null),t=getComputedStyle(document.documentElement),i=h=>{let f=parseInt(t.getPropertyValue(h).trim().slice(1),16);return[(f>>16)/255,(f>>8&255)/255,(f&255)/255]},[n,s,a,o]=[e.accent,i("--oscillator"),i("--restless"),i("--still")],l=this.status?.states??2,u=new Uint8Array(4*256*3);for(let h=0;h<256;h++){let f=h<128?p(n,a,h/128):p(a,s,(h-128)/127);[e.states[h]??p(n,o,Math.min(Math.max((h-1)/Math.max(l-2,1),0),1)),p(n,s,Math.sqrt(Math.min(h/Me,1))),f].forEach((oe,ae)=>u.set([...oe.map(le=>Math.round(255*le)),255],4*(256*ae+h)))}return this.dirty=!0,{colouring:this.colouring,shadows:!0,paper:e.paper,line:p(e.paper,e.ink,.5),accent:n,palette:u}}connectRun(){let e=(t,i)=>c(t).onclick=()=>this.link.send(i());e("play",()=>({do:this.status?.playing?"pause":"play"})),e("step",()=>({do:"step",n:"1"})),e("undo",()=>({do:"undo"})),e("redo",()=>({do:"redo"})),e("reset",()=>({do:"reset"})),c("faster").onclick=()=>this.speed(1),c("slower").onclick=()=>this.speed(-1),d("density").oninput=()=>c("density-value").textContent=d("density").value+" %",c("soup").onsubmit=t=>{t.preventDefault(),this.fill()}}speed(e){if(!this.status)return;let t=se(ne(this.status,e));this.link.send({do:"speed",...t})&&(this.asked.ask(t,performance.now()),Object.assign(this.status,t),c("speed").textContent=N(this.status))}fill(){if(!this.status)return;let e=d("size").value.trim().split(/[x×, ]+/).map(Number);if(e.length===1&&e.push(e[0],e[0]),e.length!==3||!e.every(a=>Number.isInteger(a)&&a>0))return this.notify("A size is one number or three, as in 64 or 64x48x32.",!0);let[t,i]=this.status.rule.split(":"),n=i?.startsWith("P")?"P":"T",s=d("seed").value||String(Math.floor(Math.random()*2**32));this.link.send({do:"soup",rule:`${t}:${n}${e.join(",")}`,density:Number(d("density").value)/100,seed:s})}connectLook(){let e=c("colour");e.onchange=()=>this.colourBy(e.value),c("slice-axis").onchange=()=>this.sliceAcross(c("slice-axis").value),d("slice").oninput=()=>{!this.slice||!this.cells||(this.slice.at=Number(d("slice").value)-(this.slice.axis===2?this.cells.first:0),this.showLook())};for(let t of g)for(let i of["0","1"])d(t+i).onchange=()=>this.clip();c("whole").onclick=()=>{this.cells&&(this.box={low:[0,0,0],high:[this.cells.w,this.cells.h,this.cells.d]},this.showLook())},c("draw").onclick=()=>this.toggleDrawing(),c("zoom-in").onclick=()=>this.magnify(1.25),c("zoom-out").onclick=()=>this.magnify(.8),c("fit").onclick=()=>{this.orbit.zoom=1,this.dirty=!0},c("panel-toggle").onclick=()=>this.openPanel(c("panel").hidden),c("panel-close").onclick=()=>this.openPanel(!1)}openPanel(e){c("panel").hidden=!e,c("panel-toggle").ariaExpanded=String(e)}magnify(e){this.orbit.magnify(e),this.dirty=!0}colourBy(e){this.colouring=e,c("colour").value=e,this.style=this.restyle(),e==="age"&&this.frame&&this.cells&&this.voxels.take(this.frame,this.cells,!0)}sliceAcross(e){let t=g.indexOf(e);this.slice=t<0||!this.box?null:{axis:t,at:Math.floor((this.box.low[t]+this.box.high[t])/2)},c("slice-axis").value=e,this.slice||(c("draw").ariaPressed="false"),this.showLook()}toggleDrawing(){let e=c("draw").ariaPressed!=="true";c("draw").ariaPressed=String(e),e&&!this.slice&&this.sliceAcross("z"),this.showLook()}clip(){if(!this.cells)return;let e=[this.cells.w,this.cells.h,this.cells.d],t=[0,0,this.cells.first],i=g.map((s,a)=>Math.min(Math.max(Number(d(s+"0").value)-t[a],0),e[a]-1)),n=g.map((s,a)=>Math.min(Math.max(Number(d(s+"1").value)-t[a],i[a]),e[a]-1)+1);this.box={low:i,high:n},this.slice&&(this.slice.at=Math.min(Math.max(this.slice.at,i[this.slice.axis]),n[this.slice.axis]-1)),this.showLook()}connectPointer(){let{stage:e,pointers:t}=this,i=s=>[s.clientX-e.getBoundingClientRect().left,s.clientY-e.getBoundingClientRect().top];e.addEventListener("pointerdown",s=>{e.setPointerCapture(s.pointerId),t.set(s.pointerId,i(s));let o=c("draw").ariaPressed==="true"&&t.size===1&&s.button===0&&!s.shiftKey&&this.cellAt(...i(s));if(!o||!this.frame||!this.cells){t.size>1&&(this.stroke=null);return}this.showWhere(o);let l=Math.min(Math.max(Math.floor(Number(d("state").value))||1,1),(this.status?.states??2)-1);this.drawn=this.stateOf(o)===l?0:l,this.stroke=new Map,this.draw(o)}),e.addEventListener("pointermove",s=>{let a=t.get(s.pointerId),o=i(s),l=this.slice&&this.cellAt(...o);if(this.showWhere(l),!!a){if(t.set(s.pointerId,o),this.stroke){l&&this.draw(l);return}if(t.size===2){let u=[...t.entries()].find(([h])=>h!==s.pointerId)[1];this.magnify(Math.hypot(o[0]-u[0],o[1]-u[1])/Math.max(Math.hypot(a[0]-u[0],a[1]-u[1]),1));return}this.orbit.turn(-.4*(o[0]-a[0]),.4*(o[1]-a[1])),this.dirty=!0}});let n=s=>{t.delete(s.pointerId),this.endStroke()};e.addEventListener("pointerup",n),e.addEventListener("pointercancel",n),e.addEventListener("wheel",s=>{s.preventDefault(),this.magnify(Math.exp(-s.deltaY/500))},{passive:!1})}cellAt(e,t){if(!this.slice||!this.box)return null;let{eye:i,box:n,side:s}=this.view(this.box);return K(this.slice,s,n,i.at,W(i,e,t,this.stage.clientWidth,this.stage.clientHeight))}showWhere(e){c("where").textContent=e&&this.cells?`${e[0]}, ${e[1]}, ${e[2]+this.cells.first}: state ${this.stateOf(e)}`:""}row([,e,t]){return e+this.cells.h*(t+this.cells.first)}stateOf(e){return this.frame&&this.cells?O(this.frame,e[0],this.row(e)):0}draw(e){!this.stroke||!this.frame||!this.cells||(this.stroke.set(e.join(),e),G(this.frame,e[0],this.row(e),this.drawn),this.voxels.take(this.frame,this.cells,this.colouring==="age"),this.dirty=!0)}endStroke(){let e=this.stroke;this.stroke=null,e?.size&&this.link.send({do:"edit",state:this.drawn,cells:[...e.values()].flatMap(t=>[t[0],this.row(t)])})}connectKeys(){let e=a=>()=>c(a).click(),t=(a,o)=>()=>{this.orbit.turn(a,o),this.dirty=!0},i=a=>()=>{let o=d("slice");o.value=String(Number(o.value)+a),o.dispatchEvent(new Event("input"))},n=(a,o)=>a[(a.indexOf(o)+1)%a.length],s={Enter:e("play")," ":e("step"),"+":e("faster"),"=":e("faster"),"-":e("slower"),"]":e("zoom-in"),"[":e("zoom-out"),f:e("fit"),c:e("draw"),z:e("undo"),Z:e("redo"),Home:e("reset"),a:()=>this.colourBy(n(F,this.colouring)),s:()=>this.sliceAcross(n(["","z","x","y"],c("slice-axis").value)),",":i(-1),".":i(1),ArrowLeft:t(5,0),ArrowRight:t(-5,0),ArrowUp:t(0,5),ArrowDown:t(0,-5)};addEventListener("keydown",a=>{let o=a.target;if(a.ctrlKey||a.metaKey||a.altKey||o.closest("input, select, textarea")||o.closest("button")&&(a.key===" "||a.key==="Enter"))return;let l=s[a.key];l&&(a.preventDefault(),l())})}notify(e,t=!1,i=Se){let n=c("notice");n.textContent=e,n.hidden=!1,n.classList.toggle("wrong",t),this.noticeEnds=i===1/0?1/0:performance.now()+i}hush(){c("notice").hidden=!0,this.noticeEnds=0}};try{new z}catch(r){let e=c("notice");e.textContent=r instanceof Error?r.message:String(r),e.hidden=!1,e.classList.add("wrong")}})();
