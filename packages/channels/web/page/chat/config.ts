import type { PageConfig } from '../../src/protocol.ts';
import type { Wording } from '../../src/wording.ts';

/** The configuration that the channel has written into the page. */
export const config = JSON.parse(document.querySelector('#config')!.textContent) as PageConfig;

/** A string of the wording, with its values filled in. */
export function say(
  key: keyof Wording,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return config.wording[key].replace(/\{(\w+)\}/g, (found, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : found,
  );
}
