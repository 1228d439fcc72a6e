// The buttons of the pages that copy code.

/** How long a button says that it has copied, in milliseconds. */
const SAID_MS = 2000;

/** Adds a button to each block of code, where the browser lets pages copy: at localhost, and with https. */
export function addCopyButtons() {
  if (navigator.clipboard !== undefined) document.querySelectorAll('main pre').forEach(addButton);
}

function addButton(block) {
  const button = document.createElement('button');
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    const said = await navigator.clipboard.writeText(block.textContent.trimEnd()).then(
      () => 'Copied',
      () => 'Not copied',
    );
    button.textContent = said;
    setTimeout(() => {
      button.textContent = 'Copy';
    }, SAID_MS);
  });
  button.ariaLive = 'polite';
  const area = document.createElement('div');
  area.className = 'code';
  block.replaceWith(area);
  area.append(block, button);
}
