import {escapeControls} from '../terminal/escape.ts';
import type {Style} from '../terminal/style.ts';

/** Formats the faults that are on, a line each, and how to end them; no lines without faults. */
export function formatFaultLines(texts: readonly string[], style: Style): readonly string[] {
  if (texts.length === 0) return [];
  return [...texts.map(text => style.yellow(escapeControls(text))), style.dim('end them with "crewroom fault clear"')];
}
