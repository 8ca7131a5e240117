import type { JsonObject } from '@dramaturg/compiler';
import type { HostOptions } from '@dramaturg/host';

/** Types by the ending of a name, with the first bytes of such a file. */
const samples: Readonly<Record<string, readonly [type: string, start: string]>> = {
  gif: ['image/gif', 'GIF89a'],
  jpeg: ['image/jpeg', '\u00FF\u00D8\u00FF'],
  jpg: ['image/jpeg', '\u00FF\u00D8\u00FF'],
  mp3: ['audio/mpeg', 'ID3'],
  ogg: ['audio/ogg', 'OggS'],
  pdf: ['application/pdf', '%PDF-1.7'],
  png: ['image/png', '\u0089PNG'],
  wav: ['audio/wav', 'RIFF    WAVE'],
};

/** A file that a contact sends in a test: its type is that of its name, and its bytes begin as those of such a file. */
export function sampleFile(name: string): JsonObject {
  const ending = name.split('.').at(-1)!.toLowerCase();
  const [type, start] = samples[ending] ?? ['application/octet-stream', ''];
  return {
    name,
    type,
    url: `data:${type};base64,${Buffer.from(start, 'latin1').toString('base64')}`,
  };
}

/** A place for the files of one test. */
export function placeInMemory(): NonNullable<HostOptions['attachments']>['place'] {
  const files = new Map<string, Uint8Array>();
  return {
    write: async (name, bytes) => files.set(name, bytes),
    read: async (name) => files.get(name),
    list: async (prefix) => [...files.keys()].filter((name) => name.startsWith(prefix)),
    delete: async (name) => files.delete(name),
  };
}
