import type { JsonObject } from '@dramaturg/compiler';
import type { PlainTool } from '@dramaturg/host/tools';
import type { StructuredToolInterface } from '@langchain/core/tools';

type StructuredTool = Pick<StructuredToolInterface, 'name' | 'schema' | 'invoke'> & {
  readonly description?: string;
  /** `idempotent: true`: a call that timed out may be repeated. */
  readonly metadata?: Readonly<Record<string, unknown>>;
};

/** A tool of LangChain, or a plain function. */
export type Tool = StructuredTool | PlainTool;

/** Makes plain functions from tools, by name. LangChain is loaded only if there are tools of LangChain, to convert their schemas. */
export async function plainTools(
  tools: Readonly<Record<string, Tool>> | readonly Tool[] = {},
): Promise<ReadonlyMap<string, PlainTool>> {
  const named = Array.isArray(tools)
    ? (tools as readonly Tool[]).flatMap((tool) => ('name' in tool ? [[tool.name, tool]] : []))
    : Object.entries(tools as Readonly<Record<string, Tool>>);
  return new Map(
    await Promise.all(
      (named as [string, Tool][]).map(
        async ([name, tool]) => [name, 'run' in tool ? tool : await plainTool(tool)] as const,
      ),
    ),
  );
}

async function plainTool(tool: StructuredTool): Promise<PlainTool> {
  const { toJsonSchema } = await import('@langchain/core/utils/json_schema');
  const { description, metadata } = tool;
  return {
    ...(description !== undefined && { description }),
    idempotent: metadata?.['idempotent'] === true,
    // Some schemas cannot be converted. That must not fail the other tools.
    get parameters() {
      return toJsonSchema(tool.schema) as JsonObject;
    },
    run: (input, { signal, key }) =>
      tool.invoke(input, { signal, metadata: { idempotencyKey: key } }),
  };
}
