import { withRestate } from './host/restate/location.ts';
import { type Loaders, type MakeCommand, quickCommands } from './quick-commands.ts';
import { catalogue, type CommandName } from './catalogue.ts';

/** Commands that are not rows of the table of operations. */
const ownCommands: Loaders = {
  ...quickCommands,
  diff: async () => (await import('./comparing/diff-command.ts')).diffCommand,
  lsp: async () => (await import('./language-server/lsp-command.ts')).lspCommand,
  new: async () => (await import('./commands/new.ts')).newCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  test: async () => (await import('./testing/test-command.ts')).testCommand,
  explore: async () => (await import('./exploring/explore-command.ts')).exploreCommand,
  simulate: async () => (await import('./simulating/simulate-command.ts')).simulateCommand,
  compare: async () => (await import('./simulating/compare-command.ts')).compareCommand,
  'test-state': async () => (await import('./commands/test-state.ts')).testStateCommand,
  demo: async () => (await import('./demo/demo.ts')).demoCommand,
  serve: async () => orRestate((await import('./host/commands/serve.ts')).serveCommand),
  mcp: async () => orRestate((await import('./host/commands/mcp.ts')).mcpCommand),
  token: async () => (await import('./commands/token.ts')).tokenCommand,
  inspect: async () => orRestate((await import('./commands/inspect.ts')).inspectCommand),
  start: async () => orRestate((await import('./host/commands/start.ts')).startCommand),
  send: async () => orRestate((await import('./host/commands/send.ts')).sendCommand),
  ps: async () => orRestate((await import('./host/commands/ps.ts')).psCommand),
  show: async () => orRestate((await import('./host/commands/show.ts')).showCommand),
  items: async () => orRestate((await import('./host/commands/items.ts')).itemsCommand),
  logs: async () => orRestate((await import('./host/commands/logs.ts')).logsCommand),
  tail: async () => orRestate((await import('./host/commands/logs.ts')).tailCommand),
  checkpoints: async () => orRestate((await import('./host/commands/fork.ts')).checkpointsCommand),
  fork: async () => orRestate((await import('./host/commands/fork.ts')).forkCommand),
  migrate: async () => orRestate((await import('./comparing/migrate-command.ts')).migrateCommand),
  decisions: async () => orRestate((await import('./host/commands/decide.ts')).decisionsCommand),
  decide: async () => orRestate((await import('./host/commands/decide.ts')).decideCommand),
  acts: async () => orRestate((await import('./host/commands/acts.ts')).actsCommand),
  export: async () => orRestate((await import('./host/commands/export.ts')).exportCommand),
  erase: async () => orRestate((await import('./host/commands/erase.ts')).eraseCommand),
  backup: async () => orRestate((await import('./host/commands/backup.ts')).backupCommand),
  restore: async () => orRestate((await import('./host/commands/copy.ts')).restoreCommand),
  copy: async () => orRestate((await import('./host/commands/copy.ts')).copyCommand),
  verify: async () => orRestate((await import('./host/commands/verify.ts')).verifyCommand),
  repair: async () => orRestate((await import('./host/commands/verify.ts')).repairCommand),
};

/** All commands, each loaded when it is called: most need the host, which takes long to load. */
export const allCommands = Object.fromEntries(
  Object.values(catalogue)
    .flatMap((group) => Object.keys(group) as CommandName[])
    .map((name) => [name, ownCommands[name] ?? (async () => orRestate(await ofOperation(name)))]),
) as Readonly<Record<CommandName, () => Promise<MakeCommand>>>;

async function ofOperation(name: CommandName): Promise<MakeCommand> {
  return (await import('./host/commands/operation-command.ts')).operationCommand(name);
}

/** Commands that work with a store, or with Restate in place of it. */
function orRestate(make: MakeCommand): MakeCommand {
  return () => withRestate(make());
}
