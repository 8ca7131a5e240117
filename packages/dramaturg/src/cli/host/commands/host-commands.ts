import type { Command } from 'commander';
import type { ExitCode } from '../../usage-error.ts';
import { actsCommand } from './acts.ts';
import { backupCommand } from './backup.ts';
import { copyCommand } from './copy.ts';
import { eraseCommand } from './erase.ts';
import { exportCommand } from './export.ts';
import { repairCommand } from './repair.ts';
import { restoreCommand } from './restore.ts';
import { verifyCommand } from './verify.ts';
import { cancelCommand } from './cancel.ts';
import { checkpointsCommand } from './checkpoints.ts';
import { decideCommand } from './decide.ts';
import { decisionsCommand } from './decisions.ts';
import { forkCommand } from './fork.ts';
import { migrateCommand } from '../../comparing/migrate-command.ts';
import { handBackCommand } from './hand-back.ts';
import { itemsCommand } from './items.ts';
import { interveneCommand } from './intervene.ts';
import { logsCommand } from './logs.ts';
import { mcpCommand } from './mcp.ts';
import { noteCommand } from './note.ts';
import { pauseCommand } from './pause.ts';
import { psCommand } from './ps.ts';
import { resumeCommand } from './resume.ts';
import { sendCommand } from './send.ts';
import { serveCommand } from './serve.ts';
import { showCommand } from './show.ts';
import { startCommand } from './start.ts';
import { tailCommand } from './tail.ts';
import { takeOverCommand } from './take-over.ts';
import { withRestate } from '../restate/restate-options.ts';

/** The commands that work with a store, or with Restate in place of it: its host, its instances and their decisions. */
export function hostCommands(done: (code: ExitCode) => void): readonly Command[] {
  const commands = [
    serveCommand(done),
    mcpCommand(done),
    startCommand(done),
    sendCommand(done),
    psCommand(done),
    showCommand(done),
    itemsCommand(done),
    logsCommand(done),
    tailCommand(done),
    decisionsCommand(done),
    decideCommand(done),
    checkpointsCommand(done),
    forkCommand(done),
    migrateCommand(done),
    pauseCommand(done),
    resumeCommand(done),
    cancelCommand(done),
    interveneCommand(done),
    takeOverCommand(done),
    handBackCommand(done),
    noteCommand(done),
    actsCommand(done),
    exportCommand(done),
    eraseCommand(done),
    backupCommand(done),
    restoreCommand(done),
    copyCommand(done),
    verifyCommand(done),
    repairCommand(done),
  ];
  return commands.map(withRestate);
}
