import { contextGraph, type Graph, renderTopology } from '@dramaturg/context-graph';
import type { Command } from 'commander';
import { check } from '../../compile.ts';
import { command, examples } from '../command.ts';
import { printProblems } from '../print-problems.ts';
import {
  type DefinitionOptions,
  requireOptions,
  withDefinitionOptions,
} from '../definition-options.ts';
import { readText, standardInput } from '../files.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';
import { visibleText } from '../visible.ts';

export function topologyCommand(done: (code: ExitCode) => void): Command {
  return withDefinitionOptions(command('topology'))
    .summary('print the map of a context graph')
    .description('Prints the abstract topology of a context graph: the map that models receive.')
    .argument('<file>', 'the definition; "-" is standard input')
    .addHelpText('after', examples(['dramaturg topology support.context-graph.json']))
    .action(async (file: string, options: DefinitionOptions) => {
      done(await printTopology(file, options));
    });
}

/** Prints the map, also of a graph with errors as far as it can be read. The findings go to standard error. */
async function printTopology(file: string, options: DefinitionOptions): Promise<ExitCode> {
  const checked = check(await readText(file), {
    fileName: file === standardInput ? undefined : file,
    format: options.format,
    options: options.option,
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
  if (graph && graph.states.length > 0) process.stdout.write(visibleText(renderTopology(graph)));
  const hasErrors = checked.diagnostics.some(({ severity }) => severity === 'error');
  return hasErrors ? exitCodes.errorsFound : exitCodes.fine;
}
