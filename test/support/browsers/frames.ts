import type {Page} from 'playwright-core';

/** The lower right corner of a frame: in the console, its background. */
export interface Corner {
  /** Place of the frame in the order in which they were shown. */
  readonly place: number;
  /** 0 for black, 1 for white. */
  readonly brightness: number;
}

/** Frames that Chromium has shown of a page since {@link recordFrames}. */
export interface Frames {
  /** Ends the recording. */
  readCorners(): Promise<readonly Corner[]>;
}

/** Records what Chromium shows of a page, each frame that it paints as a picture. */
export async function recordFrames(page: Page): Promise<Frames> {
  const session = await page.context().newCDPSession(page);
  const pictures: string[] = [];
  session.on('Page.screencastFrame', ({data, sessionId}) => {
    pictures.push(data);
    void session.send('Page.screencastFrameAck', {sessionId}).catch(() => {});
  });
  await session.send('Page.startScreencast', {format: 'png', everyNthFrame: 1});
  return {
    async readCorners() {
      await session.send('Page.stopScreencast');
      // A page without a policy, which would forbid the pictures.
      const reader = await page.context().newPage();
      const corners = await reader.evaluate(`Promise.all(${JSON.stringify(pictures)}.map(async (data, place) => {
        const picture = new Image();
        picture.src = 'data:image/png;base64,' + data;
        await picture.decode();
        const canvas = new OffscreenCanvas(1, 1).getContext('2d');
        canvas.drawImage(picture, 1 - picture.width, 1 - picture.height);
        const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
        return {place, brightness: (red + green + blue) / 765};
      }))`);
      await reader.close();
      return corners as readonly Corner[];
    },
  };
}
