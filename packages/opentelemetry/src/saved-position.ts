import type { TracePosition } from './position.ts';

/** The position that is stored between processes. */
export interface SavedPosition {
  /** The cursor of the last event whose spans were given to the exporter, or are being given to it. */
  readonly after: string;
  /** The number of spans that are being given to it. */
  readonly exporting: number;
}

/** @throws Error when the string is not a saved position */
export async function loadPosition(position: TracePosition): Promise<SavedPosition | undefined> {
  const text = await position.load();
  if (text === undefined) return undefined;
  try {
    const { after, exporting } = JSON.parse(text) as Partial<SavedPosition>;
    if (typeof after === 'string' && Number.isInteger(exporting))
      return { after, exporting: exporting! };
  } catch {
    // The error below has a better message.
  }
  throw new Error(
    `The position of the traces cannot be read: ${JSON.stringify(text.slice(0, 100))}. Remove it to begin with the events from now on.`,
  );
}
