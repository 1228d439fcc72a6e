import type {Rewrite} from '../files/file-answer.ts';

/** Scripts that the documents of a page get. */
interface PageScripts {
  /** Reports the errors of the page. */
  readonly reportsErrors: boolean;
  /** Gives a page without colours a white ground in a dark window. */
  readonly isDark: boolean;
}

/** Returns a rewrite that also puts scripts into a document of a page, and moves no line of it. */
export function withScripts(rewrite: Rewrite | undefined, {reportsErrors, isDark}: PageScripts): Rewrite | undefined {
  if (!reportsErrors && !isDark) return rewrite;
  const scripts = `${reportsErrors ? REPORTER : ''}${isDark ? WHITENER : ''}`;
  const apply = (text: string): string => (rewrite?.apply(text) ?? text).replace(DOCTYPE, found => found + scripts);
  return {name: `${rewrite?.name ?? ''}${reportsErrors ? '-dev' : ''}${isDark ? '-dark' : ''}`, apply};
}

/** The document type, after a byte order mark as Latin-1, after which a parser takes a script as the first element of the head. */
const DOCTYPE = /^(?:\xef\xbb\xbf)?\s*<!doctype html[^>]*>/i;

/**
 * Reports what throws, and rejects unhandled, as a line of the log with the first place in the files of the page, at most ten times. Its own
 * `fetch`: a page may replace that of the window. Short, so that a declaration of the encoding stays within the first 1,024 bytes.
 */
const REPORTER = asScript(`()=>{const{fetch}=window;let n=0
const place=t=>{const m=/\\/plugins\\/[^/]+\\/([^\\s?#()]*?)(?:\\?[^\\s:()]*)?:(\\d+)(?::\\d+)?/.exec(t||'');return m?(m[1]||'index.html')+':'+m[2]:''}
const report=(e,at)=>{if(e==null||n++>9)return
fetch('/api/log',{method:'POST',keepalive:true,body:JSON.stringify({level:'error',message:String(e).slice(0,2000),pageErrorPlace:place(e.stack)||place(at)})}).catch(()=>{})}
addEventListener('error',e=>report(e.error,e.filename+':'+e.lineno))
addEventListener('unhandledrejection',e=>report(e.reason))}`);

/**
 * Bodies of published pages are transparent, and their texts light in the dark: such a page stays as it is. One whose texts on the ground of the window
 * are all dark has no colours of its own, and gets the white ground that it has by itself. Judged once, when the first such text is there.
 */
const WHITENER = asScript(`()=>{if(parent===window)return;let looks=20
const isClear=e=>{const s=getComputedStyle(e);return s.backgroundImage==='none'&&/, 0\\)$/.test(s.backgroundColor)}
const isDark=e=>{const c=/^rgba?\\((\\d+), (\\d+), (\\d+)/.exec(getComputedStyle(e).color);return!!c&&c[1]*.3+c[2]*.6+c[3]*.1<128}
const judge=()=>{const w=document.createTreeWalker(document.body,4),on=[];let n
while((n=w.nextNode())&&on.length<200){let e=n.parentElement;if(!n.data.trim()||!e.getClientRects().length)continue
while(e&&isClear(e))e=e.parentElement
if(!e)on.push(n.parentElement)}
if(on.length&&on.every(isDark))document.documentElement.style.background='#fff'
return on.length||!--looks}
addEventListener('load',()=>{if(!judge())new MutationObserver((_,o)=>{if(judge())o.disconnect()}).observe(document,{childList:true,subtree:true,characterData:true})})}`);

function asScript(text: string): string {
  return `<script>(${text.replaceAll('\n', ';')})()</script>`;
}
