const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** A size for people, with two or three digits: `12 kB`, `1.8 GB`. */
export function bytes(size: number): string {
  let [value, unit] = [size, 0];
  while (value >= 1_000 && unit < units.length - 1) [value, unit] = [value / 1_000, unit + 1];
  const digits = value < 10 && unit > 0 ? 1 : 0;
  return `${value.toFixed(digits)} ${units[unit]}`;
}
