/** Sets the colour of the channel, and a colour of text that can be read on it. */
export function applyAccent(accent: string, target: HTMLElement): void {
  target.style.setProperty('--accent', accent);
  target.style.setProperty('--on-accent', textOn(accent));
}

/** Black or white, whichever has the larger contrast. Spec: WCAG 2.2, relative luminance */
export function textOn(colour: string): '#000' | '#fff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#fff' : '#000';
}
