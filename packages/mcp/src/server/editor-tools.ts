import * as z from 'zod';
import type { McpEditor } from './mcp-host.ts';
import { anyJson, longText, type ServedTool, servedTool, word } from './served-tool.ts';

const definition = {
  text: longText.describe('The definition: JSON, JSON with comments, or YAML.'),
  fileName: word.optional().describe('The name of its file, such as intake.plan.json.'),
};

/** Tools for an assistant that writes definitions. */
export function editorTools(editor: McpEditor): ServedTool[] {
  const tool = <Input extends z.ZodType>(
    given: Omit<Parameters<typeof servedTool<Input>>[0], 'scope' | 'isReadOnly'>,
  ) => servedTool<Input>({ ...given, scope: 'define', isReadOnly: true });
  return [
    tool({
      name: 'check',
      description: 'Finds the mistakes of a definition, with lines, columns and hints.',
      input: z.object(definition),
      run: (input) => editor.check(input),
    }),
    tool({
      name: 'compile',
      description: 'Compiles a definition, and returns its chart: an XState machine as JSON.',
      input: z.object(definition),
      run: (input) => editor.compile(input),
    }),
    tool({
      name: 'explain',
      description: 'Returns the format of a definition and a drawing of its states in Mermaid.',
      input: z.object(definition),
      run: (input) => editor.explain(input),
    }),
    tool({
      name: 'test_state',
      description:
        'Runs a single state of a workflow, with a mock of its calls: {"result": …} or {"errorOutput": {"error": …, "cause": …}}.',
      input: z.object({
        ...definition,
        state: word.optional(),
        input: anyJson.optional(),
        mock: anyJson.optional(),
      }),
      run: (input) => editor.testState(input),
    }),
    tool({
      name: 'run',
      description:
        'Runs a definition once in memory, without a model and without effects, and returns the transcript or the output.',
      input: z.object({
        ...definition,
        input: anyJson.optional(),
        messages: z
          .array(z.string().max(10_000))
          .max(50)
          .optional()
          .describe('What the person says, one message after another.'),
      }),
      run: (input, { signal }) => editor.run(input, signal),
    }),
  ];
}
