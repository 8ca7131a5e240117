import type { Page } from 'playwright';

/** The size of the squares whose mean colours are stored, in pixels. Each is compared together with its eight neighbours. */
const side = 8;
/** Two means differ if one of their channels, from 0 to 255, differs by more. */
const tolerance = 6;
/** How many squares may differ: a letter that is drawn otherwise, and not a box with another colour. */
export const differingMax = 6;

export interface PictureDifference {
  /** How many squares differ. All of them, if the sizes do. */
  readonly differing: number;
  /** The new picture in grey, with the differing squares in red. */
  readonly picture: Buffer;
}

/**
 * Makes a picture small: one pixel for each square of 8 pixels, with its mean colour. Edges of letters, which each version of a browser
 * smooths and places in its own way, vanish; colours, places and sizes remain. The browser reads and writes the files.
 */
export async function shrinkPicture(page: Page, png: Buffer): Promise<Buffer> {
  const { small } = await page.evaluate(compare, { file: base64(png), side, tolerance });
  return Buffer.from(small, 'base64');
}

/** Compares a picture with a small one from `shrinkPicture`, and draws the difference. */
export async function comparePictures(
  page: Page,
  expected: Buffer,
  found: Buffer,
): Promise<PictureDifference> {
  const options = { file: base64(found), expected: base64(expected), side, tolerance };
  const { differing, picture } = await page.evaluate(compare, options);
  return { differing, picture: Buffer.from(picture, 'base64') };
}

const base64 = (file: Buffer) => file.toString('base64');

/** Runs in the page, so it uses nothing of this file. */
async function compare({
  file,
  expected,
  side: square,
  tolerance: most,
}: {
  readonly file: string;
  readonly expected?: string;
  readonly side: number;
  readonly tolerance: number;
}): Promise<{ small: string; differing: number; picture: string }> {
  const open = async (png: string) => {
    const blob = await (await fetch(`data:image/png;base64,${png}`)).blob();
    const bitmap = await createImageBitmap(blob, { colorSpaceConversion: 'none' });
    const { width, height } = bitmap;
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { willReadFrequently: true })!;
    context.drawImage(bitmap, 0, 0);
    return { canvas, context, width, height, data: context.getImageData(0, 0, width, height).data };
  };
  const asBase64 = async (canvas: OffscreenCanvas) => {
    const blob = await canvas.convertToBlob({ type: 'image/png' });
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  };
  const { canvas, context, width, height, data } = await open(file);
  const [columns, rows] = [Math.ceil(width / square), Math.ceil(height / square)];
  const means = new ImageData(columns, rows);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const sums = [0, 0, 0];
      const right = Math.min((column + 1) * square, width);
      const bottom = Math.min((row + 1) * square, height);
      for (let y = row * square; y < bottom; y += 1)
        for (let x = column * square; x < right; x += 1)
          for (let channel = 0; channel < 3; channel += 1)
            sums[channel]! += data[4 * (y * width + x) + channel]!;
      const pixels = (right - column * square) * (bottom - row * square);
      const mean = [...sums.map((sum) => Math.round(sum / pixels)), 255];
      means.data.set(mean, 4 * (row * columns + column));
    }
  const small = new OffscreenCanvas(columns, rows);
  small.getContext('2d')!.putImageData(means, 0, 0);
  const before = expected === undefined ? undefined : await open(expected);
  /** The mean of a square and its neighbours: a letter that moves by a pixel stays within them. */
  const around = (of: Uint8ClampedArray, index: number, channel: number) => {
    const [row, column] = [Math.floor(index / columns), index % columns];
    let [sum, count] = [0, 0];
    for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y += 1)
      for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x += 1) {
        sum += of[4 * (y * columns + x) + channel]!;
        count += 1;
      }
    return sum / count;
  };
  const old = before?.width === columns && before.height === rows ? before.data : undefined;
  context.globalCompositeOperation = 'saturation';
  context.fillStyle = 'grey';
  context.fillRect(0, 0, width, height);
  context.globalCompositeOperation = 'source-over';
  context.fillStyle = 'rgb(255 0 0 / 60%)';
  let differing = 0;
  for (let index = 0; index < columns * rows; index += 1) {
    const isAlike = (channel: number) =>
      Math.abs(around(means.data, index, channel) - around(old!, index, channel)) <= most;
    if (old && [0, 1, 2].every(isAlike)) continue;
    differing += 1;
    const [row, column] = [Math.floor(index / columns), index % columns];
    context.fillRect(column * square, row * square, square, square);
  }
  return { small: await asBase64(small), differing, picture: await asBase64(canvas) };
}
