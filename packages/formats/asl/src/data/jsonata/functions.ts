import type { Json } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';
import { hash } from '../intrinsic/functions/numbers.ts';
import { mostElements } from '../intrinsic/function.ts';
import { SeededRandom } from '../intrinsic/seeded-random.ts';
import type { JsonataFunction } from './function.ts';
import { libraryFunctions, sequence } from './library-functions.ts';
import { LimitError } from './watch.ts';

/** The longest text that `$pad` and `$join` may create. */
const longestText = 10_000_000;

/**
 * The functions that AWS adds to JSONata, and replacements of functions that read the clock or build data without
 * limits. Spec: AWS "Transforming data with JSONata", functions
 */
export function amazonFunctions(world: () => World): Readonly<Record<string, JsonataFunction>> {
  return {
    ...libraryFunctions(world),
    partition: {
      signature: '<a-n:a>',
      call: (list: Json[] | undefined, size: number) => {
        if (list === undefined) return undefined;
        const length = Math.round(size);
        if (length < 1) throw wrong('$partition makes parts of 1 element or more');
        return Array.from({ length: Math.ceil(list.length / length) }, (_, index) =>
          list.slice(index * length, (index + 1) * length),
        );
      },
    },
    range: {
      signature: '<nnn:x>',
      call: (from: number, to: number, step: number) => {
        const [first, last, by] = [Math.round(from), Math.round(to), Math.round(step)];
        if (by === 0) throw wrong('$range: the step is 0');
        const length = Math.max(Math.floor((last - first) / by) + 1, 0);
        if (length > mostElements) throw wrong(`$range makes ${mostElements} elements at most`);
        // AWS unwraps a range of one number.
        return sequence(Array.from({ length }, (_, index) => first + index * by));
      },
    },
    hash: {
      signature: '<xs:s>',
      call: (value: Json | undefined, algorithm: string) =>
        value === undefined ? undefined : hash(value, algorithm),
    },
    random: {
      signature: '<n?:n>',
      call: (seed?: number) =>
        seed === undefined ? world().random() : new SeededRandom(seed).next(),
    },
    uuid: { signature: '<:s>', call: () => world().uuid() },
    parse: {
      signature: '<s:x>',
      call: (text?: string) => {
        if (text === undefined) return undefined;
        try {
          const value = JSON.parse(text) as Json;
          return value === 0 ? 0 : value;
        } catch {
          throw wrong('$parse: the text is not JSON');
        }
      },
    },
    millis: { signature: '<:n>', call: () => world().now() },
    now: {
      signature: '<s?s?:s>',
      call(picture?: string, timezone?: string) {
        return this.environment
          .lookup('fromMillis')
          .implementation.call(this, world().now(), picture, timezone);
      },
    },
    pad: {
      signature: '<s-ns?:s>',
      call: (text: string | undefined, width: number, filler = ' ') => {
        if (text === undefined) return undefined;
        if (Math.abs(width) > longestText) throw wrong('$pad makes too long a text');
        return width < 0
          ? fillerOf(text, -width, filler) + text
          : text + fillerOf(text, width, filler);
      },
    },
    join: {
      signature: '<a<s>s?:s>',
      call: (texts?: string[], separator = '') => {
        if (texts === undefined) return undefined;
        const length = texts.reduce((sum, text) => sum + text.length + separator.length, 0);
        if (length > longestText) throw wrong('$join makes too long a text');
        return texts.join(separator);
      },
    },
  };
}

/** The characters that fill a text up to a width in code points. */
function fillerOf(text: string, width: number, filler: string): string {
  const characters = Array.from(filler || ' ');
  const length = Math.max(width - Array.from(text).length, 0);
  return Array.from({ length }, (_, at) => characters[at % characters.length]).join('');
}

function wrong(because: string): LimitError {
  return new LimitError(because);
}
