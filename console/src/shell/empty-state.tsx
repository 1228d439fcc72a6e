import './empty-state.css';
import type {ComponentChildren} from 'preact';
import {Glyph, type GlyphName} from './glyph.tsx';

interface EmptyStateProps {
  readonly glyph: GlyphName;
  /** A sentence about what is missing. */
  readonly title: string;
  /** The way to get it: words, then the command, the link or the button. */
  readonly children: ComponentChildren;
}

/** Shown where a list or a page has nothing: with what to do about it. */
export function EmptyState({glyph, title, children}: EmptyStateProps) {
  return (
    <div class="empty-state">
      <Glyph name={glyph} />
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
