/** Pixels of a PNG for each pixel of the drawing, and the most pixels of a side that browsers allow. */
const density = 2;
const sideMax = 8_192;

export function saveSvg(svg: string, title: string): void {
  save(URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' })), `${fileName(title)}.svg`);
}

export async function savePng(svg: string, title: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const { naturalWidth: width, naturalHeight: height } = image;
  const scale = Math.min(density, sideMax / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && save(URL.createObjectURL(blob), `${fileName(title)}.png`));
}

function save(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has read the data when the click returns, or reads it at once.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function fileName(title: string): string {
  return title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'statechart';
}
