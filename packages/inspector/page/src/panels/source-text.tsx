import { useEffect, useMemo, useRef } from 'react';
import type { RecordedActor } from '../../../src/recording.ts';
import type { DefinitionText } from '../../../src/server/exhibit.ts';
import { chartIn } from '../data/derive.ts';
import type { Failure } from '../data/failure.ts';
import type { Actors } from '../data/playback.ts';
import type { View } from '../use-view.ts';

/** The text of the definition, with the lines of the actor's current states. */
export function SourceText({
  view: { actor, actors },
  sources,
  failed,
}: {
  readonly view: View;
  readonly sources: readonly DefinitionText[];
  /** The state that has failed. An actor that has ended is not in a state of the definition. */
  readonly failed: Failure | undefined;
}) {
  const source = sourceOf(actor, actors, sources);
  const lines = useMemo(() => source?.text.split('\n') ?? [], [source]);
  const isFailed = failed !== undefined && failed.sessionId === actor?.sessionId;
  const failedOrigins = isFailed && failed.origin ? [failed.origin] : [];
  const origins = actor?.snapshot.origins ?? [];
  const places = (origins.length > 0 ? origins : failedOrigins).flatMap((origin) => {
    const place = source?.lines[JSON.stringify(origin)];
    return place ? [place] : [];
  });
  const first = places.length > 0 ? Math.min(...places.map(([line]) => line)) : undefined;
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (first === undefined) return;
    list.current?.children[first - 1]?.scrollIntoView({ block: 'center' });
  }, [first, source]);
  if (!source) return <p className="dg-empty">The text of this definition is not available.</p>;
  const isLit = (line: number) => places.some(([from, to]) => from <= line && line <= to);
  const isFirst = (line: number) => places.some(([from]) => from === line);
  return (
    <div className="source" data-failed={isFailed || undefined}>
      <h3>{source.name}</h3>
      <ol ref={list} tabIndex={0} aria-label={`Text of ${source.name}`}>
        {lines.map((text, index) => (
          <li
            key={index}
            data-lit={isLit(index + 1) || undefined}
            aria-current={isFirst(index + 1) ? 'location' : undefined}
          >
            <code>{text || ' '}</code>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The text of the definition from which an actor, or its run, was compiled. */
export function sourceOf(
  actor: RecordedActor | undefined,
  actors: Actors,
  sources: readonly DefinitionText[],
): DefinitionText | undefined {
  const root = actors.get(actor?.rootId ?? '');
  const ids = [chartIn(actor)?.id, chartIn(root)?.id];
  return sources.find(({ chart }) => ids.includes(chart));
}
