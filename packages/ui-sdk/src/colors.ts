/** Colours of the page, by the names of their variables. */
interface AppColors {
  readonly '--background-color': string;
  readonly '--background-accent-color': string;
  readonly '--foreground-color': string;
  readonly '--foreground-accent-color': string;
  readonly '--background-interactive-color': string;
}

/** The same as in css/smartcars.css; the backgrounds of pages are those of the console. Both texts have a contrast of at least 4.5 on both backgrounds. */
const LIGHT: AppColors = {
  '--background-color': '#f4f6f9',
  '--background-accent-color': '#e6eaef',
  '--foreground-color': '#27303a',
  '--foreground-accent-color': '#5d6876',
  '--background-interactive-color': '#ccd4dd',
};

const DARK: AppColors = {
  '--background-color': '#12171f',
  '--background-accent-color': '#1f2733',
  '--foreground-color': '#f1f4f7',
  '--foreground-accent-color': '#a4afbb',
  '--background-interactive-color': '#3a4656',
};

/** Sets the colours of a page, as variables of its root element. */
export function applyAppColor(document: Document, darkMode = false): void {
  for (const [name, value] of Object.entries(darkMode ? DARK : LIGHT))
    document.documentElement.style.setProperty(name, value);
}

/**
 * Sets the colours of the airline, as variables of the root element: `--va-accent-fore-color` as it is given, and `--va-accent-back-color` as three
 * numbers, for `rgba(var(--va-accent-back-color), 1)`.
 *
 * @param foreColor - Text on the back colour. Without one, or with one that is not `#rgb` or `#rrggbb`, the colour is not changed.
 */
export function applyVAColor(document: Document, foreColor?: string | null, backColor?: string | null): void {
  const {style} = document.documentElement;
  const fore = parseHex(foreColor);
  const back = parseHex(backColor);
  if (fore !== undefined) style.setProperty('--va-accent-fore-color', `#${fore}`);
  if (back !== undefined) style.setProperty('--va-accent-back-color', toNumbers(back));
}

/** Returns the background of pages, as `#rrggbb`. */
export function getAppColor(darkMode = false): string {
  return (darkMode ? DARK : LIGHT)['--background-color'];
}

/** Returns the six digits of a colour. */
function parseHex(color: string | null | undefined): string | undefined {
  const digits = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color ?? '')?.[1];
  return digits?.length === 3 ? digits.replace(/./g, '$&$&') : digits;
}

function toNumbers(digits: string): string {
  const value = Number.parseInt(digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255].join(',');
}
