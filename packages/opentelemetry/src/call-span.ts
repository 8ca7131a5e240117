import { type Attributes, SpanKind } from '@opentelemetry/api';
import { attributes as names } from './conventions.ts';
import type { SpanType } from './span.ts';

export interface StartedCall {
  readonly port: string;
  readonly key: string;
  /** The name of the agent or the tool. */
  readonly name: string | undefined;
  readonly decision: string | undefined;
}

export interface CallForm {
  readonly type: SpanType;
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
}

/** Ports that ask a model. */
const chats: ReadonlySet<string> = new Set(['reply', 'choose', 'extract', 'think']);

/** The operation name in the conventions for a call of a port; undefined for other ports. */
export function operationOf(port: string): string | undefined {
  if (chats.has(port)) return 'chat';
  if (port === 'callTool') return 'execute_tool';
  return port === 'runAgent' ? 'invoke_agent' : undefined;
}

/** The name, the kind and the initial attributes of a call's span. */
export function callForm({ port, key, name, decision }: StartedCall): CallForm {
  const operation = operationOf(port);
  const common: Attributes = {
    'dramaturg.port': port,
    'dramaturg.call.key': key,
    ...(operation === undefined ? {} : { [names.operation]: operation }),
  };
  const suffix = name === undefined ? '' : ` ${name}`;
  if (operation === 'chat')
    return { type: 'call', name: 'chat', kind: SpanKind.CLIENT, attributes: common };
  if (operation === 'execute_tool')
    return {
      type: 'call',
      name: `execute_tool${suffix}`,
      kind: SpanKind.INTERNAL,
      attributes: {
        ...common,
        ...(name === undefined ? {} : { [names.tool]: name }),
        [names.toolCall]: key,
      },
    };
  if (operation === 'invoke_agent')
    return {
      type: 'call',
      name: `invoke_agent${suffix}`,
      kind: SpanKind.CLIENT,
      attributes: { ...common, ...(name === undefined ? {} : { [names.agent]: name }) },
    };
  if (decision !== undefined)
    return {
      type: 'decision',
      name: 'decision',
      kind: SpanKind.INTERNAL,
      attributes: { ...common, 'dramaturg.decision.id': decision },
    };
  return { type: 'call', name: port, kind: SpanKind.INTERNAL, attributes: common };
}

/** The fields of `usage.recorded`. All are checked: an agent may report anything. */
export interface CountedUsage {
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  readonly attributes: Attributes;
}

export function usageOf(event: Readonly<Record<string, unknown>>): CountedUsage {
  const { model, tokens, inputTokens, outputTokens = tokens, cost } = event;
  const { cachedInputTokens, reasoningTokens, requests } = event;
  const known = (name: string, value: unknown): Attributes =>
    typeof value === 'number' && Number.isFinite(value) ? { [name]: value } : {};
  return {
    model: typeof model === 'string' ? model : undefined,
    inputTokens: count(inputTokens),
    outputTokens: count(outputTokens),
    cost: count(cost),
    attributes: {
      ...(typeof model === 'string' ? { [names.responseModel]: model } : {}),
      ...known(names.inputTokens, inputTokens),
      ...known(names.outputTokens, outputTokens),
      ...known(names.cachedInputTokens, cachedInputTokens),
      ...known(names.reasoningTokens, reasoningTokens),
      ...known('dramaturg.cost', cost),
      ...known('dramaturg.requests', requests),
    },
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
