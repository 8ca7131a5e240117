import { useEffect, useMemo, useRef } from 'react';
import type { DefinitionText } from '../../../src/server/exhibit.ts';
import { chartIn } from '../data/derive.ts';
import type { View } from '../use-view.ts';

/** The text of the definition, with the lines of the actor's current states. */
export function SourceText({
  view: { actor, actors },
  sources,
}: {
  readonly view: View;
  readonly sources: readonly DefinitionText[];
}) {
  const root = actors.get(actor?.rootId ?? '');
  const ids = [chartIn(actor)?.id, chartIn(root)?.id];
  const source = sources.find(({ chart }) => ids.includes(chart));
  const lines = useMemo(() => source?.text.split('\n') ?? [], [source]);
  const places = (actor?.snapshot.origins ?? []).flatMap((origin) => {
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
    <div className="source">
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
