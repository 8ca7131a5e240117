import { type AnyFormat, compile, type Compiled, type JsonObject } from '@dramaturg/compiler';
import type { Clock } from '@dramaturg/host/browser';
import { use, useEffect, useState } from 'react';
import { loadFormats } from './load-formats.ts';

interface DefinitionOptions {
  readonly fileName?: string | undefined;
  readonly options?: JsonObject | undefined;
  readonly clock: Clock;
  /** The format that it most likely is; all of them are loaded at once when it is left out. */
  readonly format?: string | undefined;
}

export interface CompiledDefinition extends Compiled {
  /** What people call such a definition; undefined when it is none that is known. */
  readonly title: string | undefined;
}

/** Milliseconds after the last key in which a text is taken to be still being written. */
const typing = 250;

/**
 * What a text compiles to, a moment after it has changed. Waits for its format to be loaded; the others follow once it is
 * not found to be sound, because it may be another one.
 */
export function useDefinition(text: string, definition: DefinitionOptions): CompiledDefinition {
  const { fileName, options, clock, format } = definition;
  const [hasAll, setHasAll] = useState(format === undefined);
  const formats = use(loadFormats(hasAll ? undefined : format));
  const compiled = () => compiledBy(formats, text, { fileName, options, clock });
  const [current, setCurrent] = useState(compiled);
  const known = useKnown({ text, fileName, clock, formats });

  useEffect(() => {
    if (known.isSame) return undefined;
    const timer = setTimeout(() => {
      known.take();
      setCurrent(compiled());
    }, typing);
    return () => clearTimeout(timer);
    // A page that is rendered for other reasons, such as events of a run, does not put it off.
  }, [text, fileName, clock, formats]);
  useEffect(() => {
    if (hasAll || current.machine) return;
    // Loaded first, so that the page does not wait for them.
    void loadFormats().then(() => setHasAll(true));
  }, [hasAll, current]);
  return current;
}

function compiledBy(
  formats: readonly AnyFormat[],
  text: string,
  { fileName, options, clock }: DefinitionOptions,
): CompiledDefinition {
  const compiled = compile(
    // Editors know one kind of line break only, and the places of findings are counted in characters.
    text.replaceAll('\r\n', '\n'),
    { formats, fileName, options, link: { world: clock.world } },
  );
  return { ...compiled, title: formats.find(({ name }) => name === compiled.format)?.title };
}

/** Whether values are those that were taken last. */
function useKnown(values: Readonly<Record<string, unknown>>) {
  const [known, setKnown] = useState(values);
  const isSame = Object.entries(values).every(([name, value]) => known[name] === value);
  return { isSame, take: () => setKnown(values) };
}
