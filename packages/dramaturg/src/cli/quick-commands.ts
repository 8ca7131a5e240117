import type { CommandName } from './catalogue.ts';
import type { Command } from 'commander';

export type MakeCommand = () => Command;

export type Loaders = { readonly [Name in CommandName]?: () => Promise<MakeCommand> };

/**
 * Commands that load none of the user's code, and no files of a package. They are bundled with their dependencies, so that they
 * start fast.
 */
export const quickCommands = {
  schema: async () => (await import('./commands/schema.ts')).schemaCommand,
  types: async () => (await import('./commands/types.ts')).typesCommand,
  check: async () => (await import('./commands/check.ts')).checkCommand,
  compile: async () => (await import('./commands/compile.ts')).compileCommand,
  topology: async () => (await import('./commands/topology.ts')).topologyCommand,
} satisfies Loaders;
