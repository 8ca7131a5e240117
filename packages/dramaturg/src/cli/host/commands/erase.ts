import { counted, visible } from '@dramaturg/compiler/text';
import { eraseFrom, type ErasureReceipt, eraseRecordings } from '@dramaturg/host';
import { type Command, command, examples } from '../../command.ts';
import { jsonText, outputTo } from '../../output.ts';
import { statusOf } from '../../files.ts';
import { UsageError } from '../../usage-error.ts';
import { isServedGateway } from '../gateway/gateway.ts';
import { explainFailures } from '../gateway/explain-error.ts';
import { contactForms } from '../gateway/provider-channels.ts';
import { openOrServed, ownerName } from '../gateway/open-gateway.ts';
import { attachmentsOf, memoryOwnerOf } from '../gateway/store-data.ts';
import { requireStore, storeAt } from '../gateway/store-folder.ts';
import { contactChannelOption } from '../host-options.ts';
import { bytes } from '../print/bytes.ts';

interface EraseCommandOptions {
  readonly end?: true;
  readonly rewrite?: true;
  readonly channel?: string;
  readonly recordings?: string;
  readonly json?: true;
}

export function eraseCommand(): Command {
  return command('erase')
    .json()
    .description(
      'Erases everything about a contact: conversations and runs with their transcripts, journals and save points, their copies, the agents that they have called, and memories. Then no byte of it is left in the files of the store; the command says what Postgres keeps.',
    )
    .store()
    .argument('<contact>', 'the address of the person')
    .option(...contactChannelOption)
    .option('--end', 'end the instances that are still running, instead of refusing')
    .option(
      '--rewrite',
      'in Postgres, also write the tables anew (VACUUM FULL): they keep no byte of it, and are locked until then',
    )
    .option('--recordings <folder>', 'also erase the recordings of this contact in a folder')
    .addHelpText(
      'after',
      `
The command prints counts, which are no personal data. If it is interrupted, run
it again. If instances of the contact have not ended, it erases nothing and
exits with 6. Backups are not changed: erase the contact in each of them.
${examples([
  'dramaturg erase conversations "+56 9 1234 5678" --channel twilio',
  'dramaturg erase conversations ada --end --json',
  'dramaturg erase conversations ada --recordings recordings',
])}`,
    )
    .action(async (folder: string, contact: string, options: EraseCommandOptions) => {
      await explainFailures(folder, () => erase(folder, contact, options));
    });
}

async function erase(folder: string, contact: string, options: EraseCommandOptions) {
  await requireStore(folder);
  // Checked before anything is erased.
  if (options.recordings !== undefined) await requireFolder(options.recordings);
  const { channel } = options;
  const request = {
    contact,
    channel,
    running: options.end ? 'end' : 'refuse',
    ...(options.rewrite && { rewrite: true }),
  } as const;
  const eraseHere = async () => {
    const { forget } = memoryOwnerOf(folder);
    const name = ownerName('erase');
    const channels = await contactForms(channel);
    const attachments = attachmentsOf(folder);
    return eraseFrom(await storeAt(folder, {}), request, { forget, channels, attachments, name });
  };
  const opened = await openOrServed(folder, eraseHere, channel);
  const receipt = isServedGateway(opened) ? await opened.erase(request) : opened;
  const recordings =
    options.recordings === undefined
      ? undefined
      : await eraseRecordings(
          options.recordings,
          contact,
          (await contactForms(channel))[channel ?? ''],
        );
  const { write } = outputTo(process.stdout);
  if (options.json) write(jsonText({ ...receipt, ...recordings }));
  else write(sentences(contact, receipt, recordings));
}

async function requireFolder(path: string): Promise<void> {
  if ((await statusOf(path))?.isDirectory()) return;
  throw new UsageError(
    `There is no folder "${visible(path)}". Nothing was erased.`,
    'Name the folder in which recordings are kept.',
  );
}

function sentences(
  contact: string,
  { instances, ended, lines, savePoints, memories, unreadable, remains, ...size }: ErasureReceipt,
  recordings: Awaited<ReturnType<typeof eraseRecordings>> | undefined,
): string {
  const endedNow = ended === 0 ? '' : ` (${ended} ended now)`;
  const counts = [
    `${counted(instances, 'instance')}${endedNow} with ${counted(lines, 'line')}`,
    counted(savePoints, 'save point'),
    memories === 1 ? '1 memory' : `${memories} memories`,
    ...(recordings ? [counted(recordings.recordings, 'recording')] : []),
  ];
  const space = `The store had ${bytes(size.bytesBefore)} and has ${bytes(size.bytesAfter)}.`;
  const damaged =
    unreadable === 0
      ? ''
      : `${counted(unreadable, 'record')} of the store ${unreadable === 1 ? 'is' : 'are'} damaged, and may be about the contact: see "dramaturg verify".\n`;
  const unlabelled =
    recordings && recordings.unlabelled > 0
      ? `${counted(recordings.unlabelled, 'recording')} name no contact: look at them yourself.\n`
      : '';
  const erased =
    instances === 0
      ? `The store has no instance of "${visible(contact)}"${recordings ? `; ${counts.at(-1)} erased` : ''}.`
      : `Erased: ${counts.join(', ')}.`;
  return `${erased}\n${space}\n${remains === undefined ? '' : `${remains}\n`}${damaged}${unlabelled}`;
}
