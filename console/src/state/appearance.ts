import type {AirlineSettings} from 'crewroom/client';
import type {SettingValues} from '../service/documents.ts';

/** The theme of the console, as in `color-scheme`: both names if the system decides. */
export type Theme = 'dark' | 'light' | 'light dark';

/** Returns the theme that the settings of the client choose. */
export function themeOf({darkMode, darkWithSystem}: SettingValues): Theme {
  if (darkMode === true) return 'dark';
  return darkWithSystem === true ? 'light dark' : 'light';
}

/** Colours of an airline, as `#rrggbb`. */
export interface AccentColors {
  readonly foreground: string;
  readonly background: string;
}

/** Colours that published pages use without a query. */
const DEFAULT_COLORS: AccentColors = {foreground: '#FFFFFF', background: '#C00000'};

/** Lowest contrast of text that is readable (WCAG 2.2, 1.4.3). */
const CONTRAST_MIN = 4.5;

/** Returns the colours of an airline; those of published pages in place of what is not a colour. */
export function accentColorsOf(settings: Partial<AirlineSettings> | undefined): AccentColors {
  return {
    foreground: hexColor(settings?.accentForegroundColor) ?? DEFAULT_COLORS.foreground,
    background: hexColor(settings?.accentBackgroundColor) ?? DEFAULT_COLORS.background,
  };
}

/** Returns the foreground colour, or black or white if text in it could not be read on the background. */
export function readableForeground({foreground, background}: AccentColors): string {
  if (contrastOf(foreground, background) >= CONTRAST_MIN) return foreground;
  return contrastOf('#ffffff', background) >= contrastOf('#000000', background) ? '#ffffff' : '#000000';
}

/** Returns the query of the page of a plugin. */
export function pageQuery(darkMode: boolean, {foreground, background}: AccentColors): string {
  return `?darkmode=${darkMode}&forecolor=${encodeURIComponent(foreground)}&backcolor=${encodeURIComponent(background)}`;
}

function hexColor(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const [, digits = ''] = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(text.trim()) ?? [];
  if (digits === '') return undefined;
  return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits}`;
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance of a colour `#rrggbb`, 0 to 1 (WCAG 2.2). */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
