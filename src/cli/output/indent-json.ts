import {JsonIndex, type JsonSpan} from '../../core/json/json-index.ts';

/** Levels up to which a text is laid out, the most of a value by default: far fewer than the stack holds. */
const DEPTH_MAX = 256;

/** Formats a JSON text with a line for each member; a deeper one stays as it is. Tokens stay the same: a parsed number could lose digits. */
export function indentJson(text: string): string {
  return layOut(text, {lineBreak: '\n', step: '  ', colon: ': '});
}

/** Removes the white space between the tokens of a JSON text; a deeper one stays as it is. */
export function compactJson(text: string): string {
  return layOut(text, {lineBreak: '', step: '', colon: ':'});
}

interface Layout {
  readonly lineBreak: string;
  readonly step: string;
  readonly colon: string;
}

function layOut(text: string, {lineBreak, step, colon}: Layout): string {
  const bytes = Buffer.from(text);
  const index = findIndex(bytes);
  if (index === undefined) return text;
  const tokenAt = ({start, end}: JsonSpan): string => bytes.toString('utf8', start, end);
  const write = (span: JsonSpan, before: string): string => {
    const isObject = index.isObject(span);
    if (!isObject && !index.isArray(span)) return tokenAt(span);
    const inner = before + step;
    const parts = isObject
      ? index.members(span).map(({nameSpan, valueSpan}) => tokenAt(nameSpan) + colon + write(valueSpan, inner))
      : index.elements(span).map(element => write(element, inner));
    const [open = '', close = ''] = isObject ? '{}' : '[]';
    return parts.length === 0 ? open + close : `${open}${inner}${parts.join(`,${inner}`)}${before}${close}`;
  };
  return write(index.root, lineBreak);
}

function findIndex(bytes: Buffer): JsonIndex | undefined {
  try {
    return new JsonIndex(bytes, {depthMax: DEPTH_MAX});
  } catch {
    return undefined;
  }
}
