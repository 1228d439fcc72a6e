/** Kind of a notification: it has the colour, and `danger` interrupts a screen reader. */
export type NotificationType = 'success' | 'warning' | 'danger';

/** Duration of a toast, in milliseconds: about the time to read two lines twice. */
const SHOWN_MS = 6_000;

/** Maximum number of toasts at once; the oldest makes way. */
const TOASTS_MAX = 4;

const HOST_ID = 'crewroom-toasts';

/** Background and text, with a contrast of at least 4.5. */
const COLORS = {
  success: ['#1a7f4b', '#ffffff'],
  warning: ['#f5b83d', '#2b1d00'],
  danger: ['#b3261e', '#ffffff'],
} as const satisfies Record<NotificationType, readonly [string, string]>;

/**
 * Shows a message at the bottom of the page for some seconds, or until it is closed. The page below gets all clicks but those on its button.
 * Works under a strict content security policy.
 */
export function showToast(document: Document, type: NotificationType, source: string | undefined, text: string): void {
  const host = findHost(document);
  while (host.childElementCount >= TOASTS_MAX) host.firstElementChild?.remove();
  const [background, color] = COLORS[type];
  const toast = document.createElement('div');
  toast.className = `crewroom-toast crewroom-toast-${type}`;
  setStyle(toast, {...TOAST_STYLE, background, color});
  const message = document.createElement('div');
  message.setAttribute('role', type === 'danger' ? 'alert' : 'status');
  message.textContent = source === undefined ? text : `${source}: ${text}`;
  const close = createCloseButton(document, `Close: ${message.textContent}`, () => {
    clearTimeout(timer);
    toast.remove();
  });
  // A user of the keyboard closes the one that has the focus.
  const timer = setTimeout(() => document.activeElement === close || toast.remove(), SHOWN_MS);
  toast.append(message, close);
  host.append(toast);
}

function createCloseButton(document: Document, name: string, onClick: () => void): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.setAttribute('aria-label', name);
  button.textContent = '×';
  setStyle(button, CLOSE_STYLE);
  button.addEventListener('click', onClick);
  return button;
}

/** Returns the element with the toasts. A screen reader announces additions only to an element that was there before. */
function findHost(document: Document): HTMLElement {
  const found = document.getElementById(HOST_ID);
  if (found !== null) return found;
  const host = document.createElement('div');
  host.id = HOST_ID;
  host.setAttribute('aria-live', 'polite');
  setStyle(host, HOST_STYLE);
  document.body.append(host);
  return host;
}

const HOST_STYLE = {
  position: 'fixed',
  right: '16px',
  bottom: '16px',
  'max-width': 'min(360px, calc(100vw - 32px))',
  display: 'flex',
  'flex-direction': 'column',
  gap: '8px',
  'z-index': '2147483647',
  'pointer-events': 'none',
};

const TOAST_STYLE = {
  display: 'flex',
  'justify-content': 'space-between',
  'align-items': 'flex-start',
  gap: '8px',
  padding: '10px 8px 10px 14px',
  'border-radius': '8px',
  'box-shadow': '0 4px 16px rgba(0, 0, 0, 0.25)',
  font: '500 14px/1.4 system-ui, sans-serif',
  'overflow-wrap': 'anywhere',
};

const CLOSE_STYLE = {
  flex: 'none',
  width: '24px',
  height: '24px',
  margin: '-2px 0',
  padding: '0',
  border: '0',
  background: 'none',
  color: 'inherit',
  font: '20px/24px system-ui, sans-serif',
  cursor: 'pointer',
  'pointer-events': 'auto',
};

/** Sets properties one by one: a content security policy forbids the text of a style attribute. */
function setStyle(element: HTMLElement, style: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value);
}
