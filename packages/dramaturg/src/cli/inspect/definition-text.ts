import { type Chart, isRecord } from '@dramaturg/compiler';
import { read } from '@dramaturg/compiler/format';
import type { DefinitionText } from '@dramaturg/inspector/server';

/** The text of a definition, with the lines that each node of its chart comes from. */
export function definitionText(chart: Chart, name: string, text: string): DefinitionText {
  const source = read(text);
  const lines: Record<string, readonly [number, number]> = {};
  for (const origin of originsIn(chart)) {
    const { start, end } = source.locate(origin);
    // A range that ends at the first column of a line does not include that line.
    const last = end.column === 1 && end.line > start.line ? end.line - 1 : end.line;
    lines[JSON.stringify(origin)] = [start.line, last];
  }
  return { chart: chart.id, name, text, lines };
}

/** The origins of all nodes, including the charts that run for items. */
function originsIn(chart: Chart): readonly (readonly (string | number)[])[] {
  const origins: (readonly (string | number)[])[] = [];
  const pending: unknown[] = [chart];
  for (const value of pending) {
    if (Array.isArray(value)) pending.push(...value);
    if (!isRecord(value)) continue;
    const { meta } = value;
    if (isRecord(meta) && Array.isArray(meta['origin']))
      origins.push(meta['origin'] as (string | number)[]);
    pending.push(...Object.values(value));
  }
  return origins;
}
