/** Paths of the icons, on a grid of 24 by 24. */
const PATHS = {
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'M6 6l12 12M18 6L6 18',
  find: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  home: 'M4 11l8-7 8 7M6 10v10h12V10',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M14 4v6M6 14v6',
  identity: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c1-4 4-6 8-6s7 2 8 6',
  entries: 'M4 6c0-4 16-4 16 0v12c0 4-16 4-16 0zM4 6c0 4 16 4 16 0M4 12c0 4 16 4 16 0',
  events: 'M3 12h4l3-8 4 16 3-8h4',
  requests: 'M4 8h15l-4-4M20 16H5l4 4',
  plugins: 'M9 3v5M15 3v5M6 8h12v4a6 6 0 0 1-12 0zM12 18v3',
  flight: 'M12 3c-1 0-1.5 1-1.5 3v3.5L3 14v2l7.5-2v4L8 20v1l4-1 4 1v-1l-2.5-2v-4l7.5 2v-2l-7.5-4.5V6c0-2-.5-3-1.5-3z',
  faults: 'M12 4l9 16H3zM12 10v4M12 17v.5',
  docs: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h6M9 17h6',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 21h4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5',
  moon: 'M20 14a8 8 0 1 1-10-10 7 7 0 0 0 10 10z',
  sound: 'M4 9v6h4l5 4V5L8 9zM17 9a4 4 0 0 1 0 6M19.5 6.5a8 8 0 0 1 0 11',
} as const;

/** Name of an icon. */
export type GlyphName = keyof typeof PATHS;

/** An icon that repeats the text beside it, and is hidden from assistive technology. */
export function Glyph({name}: {readonly name: GlyphName}) {
  return (
    <svg class="glyph" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
