import type { Page } from 'playwright';

/** The size of the squares whose mean colours are compared, in pixels. */
const side = 8;
/** Two means differ if one of their channels, from 0 to 255, differs by more. */
const tolerance = 10;
/** How many squares may differ: a letter that is drawn otherwise, and not a box with another colour. */
export const differingMax = 6;

export interface PictureDifference {
  /** How many squares differ. All of them, if the sizes do. */
  readonly differing: number;
  /** The new picture in grey, with the differing squares in red. */
  readonly picture: Buffer;
}

/**
 * Compares two pictures as somebody does who looks from afar: by the mean colours of small squares. So edges of letters, which each version of
 * a browser smooths in its own way, do not count, but colours, places and sizes do. The browser reads the files and draws the difference.
 */
export async function comparePictures(
  page: Page,
  expected: Buffer,
  found: Buffer,
): Promise<PictureDifference> {
  const { differing, picture } = await page.evaluate(differenceOf, {
    files: [expected, found].map((file) => file.toString('base64')),
    side,
    tolerance,
  });
  return { differing, picture: Buffer.from(picture, 'base64') };
}

/** Runs in the page, so it uses nothing of this file. */
async function differenceOf({
  files,
  side: square,
  tolerance: most,
}: {
  readonly files: readonly string[];
  readonly side: number;
  readonly tolerance: number;
}): Promise<{ differing: number; picture: string }> {
  const [before, after] = await Promise.all(
    files.map(async (file) => {
      const blob = await (await fetch(`data:image/png;base64,${file}`)).blob();
      const bitmap = await createImageBitmap(blob, { colorSpaceConversion: 'none' });
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d', { willReadFrequently: true })!;
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      return { width: bitmap.width, height: bitmap.height, data, canvas, context };
    }),
  );
  const { width, height, canvas, context } = after!;
  const isSameSize = before!.width === width && before!.height === height;
  const meanOf = (data: Uint8ClampedArray, left: number, top: number): readonly number[] => {
    const sums = [0, 0, 0];
    const [right, bottom] = [Math.min(left + square, width), Math.min(top + square, height)];
    for (let y = top; y < bottom; y += 1)
      for (let x = left; x < right; x += 1)
        for (let channel = 0; channel < 3; channel += 1)
          sums[channel]! += data[4 * (y * width + x) + channel]!;
    return sums.map((sum) => sum / ((right - left) * (bottom - top)));
  };
  context.globalCompositeOperation = 'saturation';
  context.fillStyle = 'grey';
  context.fillRect(0, 0, width, height);
  context.globalCompositeOperation = 'source-over';
  context.fillStyle = 'rgb(255 0 0 / 60%)';
  let differing = 0;
  for (let top = 0; top < height; top += square)
    for (let left = 0; left < width; left += square) {
      const old = isSameSize ? meanOf(before!.data, left, top) : undefined;
      const mean = meanOf(after!.data, left, top);
      if (old && mean.every((value, channel) => Math.abs(value - old[channel]!) <= most)) continue;
      differing += 1;
      context.fillRect(left, top, square, square);
    }
  const picture = await canvas.convertToBlob({ type: 'image/png' });
  const bytes = new Uint8Array(await picture.arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return { differing, picture: btoa(binary) };
}
