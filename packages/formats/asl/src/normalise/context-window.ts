import type { ContextWindow } from '../definition/context-window.ts';
import {
  given,
  isText,
  numberOf,
  partOf,
  type Placed,
  type Reading,
  record,
  textOf,
  texts,
} from './fields.ts';

/** How much of its input an agent gets, unless somebody says. C.2 #39 */
const usual = 8000;

export function readContextWindow(placed: Placed, reading: Reading): ContextWindow | undefined {
  const context = partOf(placed, 'Context');
  if (!context) return undefined;
  const { value: fields } = context;
  const strategy = textOf(fields['Strategy']) as ContextWindow['strategy'] | undefined;
  return {
    strategy: strategy ?? (Array.isArray(fields['Priority']) ? 'priority_based' : 'sliding_window'),
    maxTokens: numberOf(fields['MaxTokens']) ?? usual,
    priority: texts(context, 'Priority', reading),
    include: texts(context, 'Include', reading),
    exclude: texts(context, 'Exclude', reading),
    search: strategy === 'semantic' ? readSearch(context) : undefined,
    summary: readSummary(fields),
  };
}

function readSearch(context: Placed): ContextWindow['search'] {
  const query = given(context, 'Query', isText, 'JSONPath');
  const candidates = textOf(context.value['Candidates']);
  return query && candidates !== undefined
    ? { query, candidates, most: numberOf(context.value['TopK']) ?? 10 }
    : undefined;
}

function readSummary(fields: Readonly<Record<string, unknown>>): ContextWindow['summary'] {
  const summarize = record(fields['Summarize']);
  const agent = textOf(summarize['Using']);
  if (agent === undefined || summarize['When'] === 'Never') return undefined;
  return {
    agent,
    always: summarize['When'] === 'Always',
    target: textOf(summarize['Target']) ?? '$',
    ratio: numberOf(summarize['Ratio']),
  };
}
