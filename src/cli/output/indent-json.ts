import {JsonIndex, type JsonSpan} from '../../core/json/json-index.ts';

/** Formats a JSON text with a line for each member. Tokens stay the same: a parsed number could lose digits. */
export function indentJson(text: string): string {
  return layOut(text, {lineBreak: '\n', step: '  ', colon: ': '});
}

/** Removes the white space between the tokens of a JSON text. */
export function compactJson(text: string): string {
  return layOut(text, {lineBreak: '', step: '', colon: ':'});
}

function layOut(text: string, {lineBreak, step, colon}: Readonly<Record<'lineBreak' | 'step' | 'colon', string>>) {
  const bytes = Buffer.from(text);
  const index = new JsonIndex(bytes, {depthMax: Infinity});
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
