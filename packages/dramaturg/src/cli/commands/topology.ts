import { contextGraph, type Graph, renderTopology } from '@dramaturg/context-graph';
import { check } from '../../compile.ts';
import { type Command, command } from '../command.ts';
import { requireNoErrors } from '../definition-file.ts';
import { jsonLine, printProblems, visibleText } from '../output.ts';
import {
  type DefinitionOptions,
  formatOptions,
  requireOptions,
  withDefinitionOptions,
} from '../definition-options.ts';
import { readText, standardInput } from '../files.ts';
import { UsageError } from '../usage-error.ts';

interface TopologyOptions extends DefinitionOptions {
  readonly json?: true;
}

export function topologyCommand(): Command {
  return withDefinitionOptions(command('topology'))
    .json('print the map as { topology }')
    .description('Prints the abstract topology of a context graph: the map that models receive.')
    .argument('<file>', 'the definition; "-" is standard input')
    .examples('dramaturg topology support.context-graph.json')
    .action(async (file: string, options: TopologyOptions) => {
      await printTopology(file, options);
    });
}

/**
 * Prints the map; without `--json` also of a graph with errors, as far as it can be read. The findings go to standard error.
 *
 * @throws DefinitionError when the graph has errors
 */
async function printTopology(file: string, options: TopologyOptions): Promise<void> {
  const checked = check(await readText(file), {
    fileName: file === standardInput ? undefined : file,
    format: options.format,
    options: formatOptions(options),
  });
  requireOptions(checked);
  const isReadable = checked.definition !== undefined;
  if (isReadable && checked.format !== contextGraph.name) {
    throw new UsageError(
      'Only a context graph has a topology.',
      'Draw a diagram of any definition with: dramaturg compile <file> --to mermaid',
    );
  }
  printProblems(checked, file);
  const graph = checked.definition as Graph | undefined;
  const topology = graph && graph.states.length > 0 ? renderTopology(graph) : '';
  if (!options.json) process.stdout.write(visibleText(topology));
  requireNoErrors(checked, file);
  if (options.json) process.stdout.write(jsonLine({ topology }));
}
