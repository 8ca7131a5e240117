import type { ContextWindow } from '../definition/context-window.ts';
import { partOf, type Part } from '../authored.ts';
import {
  readValueSource,
  isText,
  optionalNumber,
  asRecord,
  optionalString,
  readTexts,
} from './fields.ts';
import type { Reading } from './reading.ts';

/** The default of `MaxTokens`. */
const usual = 8000;

export function readContextWindow(authored: Part, reading: Reading): ContextWindow | undefined {
  const context = partOf(authored, 'Context');
  if (!context) return undefined;
  const { value: fields } = context;
  const strategy = optionalString(fields['Strategy']) as ContextWindow['strategy'] | undefined;
  return {
    strategy: strategy ?? (Array.isArray(fields['Priority']) ? 'priority_based' : 'sliding_window'),
    maxTokens: optionalNumber(fields['MaxTokens']) ?? usual,
    priority: readTexts(context, 'Priority', reading),
    include: readTexts(context, 'Include', reading),
    exclude: readTexts(context, 'Exclude', reading),
    search: strategy === 'semantic' ? readSearch(context) : undefined,
    summary: readSummary(fields),
  };
}

function readSearch(context: Part): ContextWindow['search'] {
  const query = readValueSource(context, 'Query', isText, 'JSONPath');
  const candidates = optionalString(context.value['Candidates']);
  return query && candidates !== undefined
    ? { query, candidates, most: optionalNumber(context.value['TopK']) ?? 10 }
    : undefined;
}

function readSummary(fields: Readonly<Record<string, unknown>>): ContextWindow['summary'] {
  const summarize = asRecord(fields['Summarize']);
  const agent = optionalString(summarize['Using']);
  if (agent === undefined || summarize['When'] === 'Never') return undefined;
  return {
    agent,
    always: summarize['When'] === 'Always',
    target: optionalString(summarize['Target']) ?? '$',
    ratio: optionalNumber(summarize['Ratio']),
  };
}
