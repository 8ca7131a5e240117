import { type AnyFormat, compile, type Compiled, type JsonObject } from '@dramaturg/compiler';
import type { Clock } from '@dramaturg/host/browser';
import { startTransition, use, useEffect, useState } from 'react';
import { loadFormats } from './load-formats.ts';

interface DefinitionOptions {
  readonly fileName?: string | undefined;
  readonly options?: JsonObject | undefined;
  readonly clock: Clock;
  /** The most likely format. When left out, all formats are loaded. */
  readonly format?: string | undefined;
}

export interface CompiledDefinition extends Compiled {
  /** The title of the format; undefined when the format is unknown. */
  readonly title: string | undefined;
  /** The loaded formats. */
  readonly formats: readonly AnyFormat[];
}

/** Milliseconds without a key press after which a changed text is compiled. */
const typingPauseMs = 250;

/**
 * Compiles a text, shortly after each change. Waits until its format is loaded. Loads the other formats when the text has
 * errors, because its format may be one of them.
 */
export function useDefinition(text: string, definition: DefinitionOptions): CompiledDefinition {
  const { fileName, options, clock, format } = definition;
  const [hasAll, setHasAll] = useState(format === undefined);
  const formats = use(loadFormats(hasAll ? undefined : format));
  const compiled = () => compiledBy(formats, text, { fileName, options, clock });
  const [current, setCurrent] = useState(compiled);
  const known = useLastTaken({ text, fileName, clock, formats });

  useEffect(() => {
    if (known.isSame) return undefined;
    const timer = setTimeout(() => {
      known.take();
      setCurrent(compiled());
    }, typingPauseMs);
    return () => clearTimeout(timer);
    // Rendering for other reasons, such as events of a run, does not restart the pause.
  }, [text, fileName, clock, formats]);
  useEffect(() => {
    if (hasAll || current.machine) return;
    // The page stays as it is until React has read the promise of the formats.
    void loadFormats().then(() => startTransition(() => setHasAll(true)));
  }, [hasAll, current]);
  return current;
}

function compiledBy(
  formats: readonly AnyFormat[],
  text: string,
  { fileName, options, clock }: DefinitionOptions,
): CompiledDefinition {
  const compiled = compile(
    // The editor has only "\n" as line break, and positions of diagnostics are counted in characters.
    text.replaceAll('\r\n', '\n'),
    { formats, fileName, options, link: { world: clock.world } },
  );
  const title = formats.find(({ name }) => name === compiled.format)?.title;
  return { ...compiled, title, formats };
}

/** Compares values with those at the last call of `take`. */
function useLastTaken(values: Readonly<Record<string, unknown>>) {
  const [last, setLast] = useState(values);
  const isSame = Object.entries(values).every(([name, value]) => last[name] === value);
  return { isSame, take: () => setLast(values) };
}
