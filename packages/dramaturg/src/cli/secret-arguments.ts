import { withoutSecrets } from '@dramaturg/compiler/secrets';
import type { Command } from 'commander';
import { UsageError } from './usage-error.ts';

/** The options that take the address of a server, with the variables of the environment that take it too. */
const addresses = { webhook: 'DRAMATURG_WEBHOOK', baseUrl: 'DRAMATURG_BASE_URL' } as const;

/** Throws for an address with a password or a key: every user of the machine can see the arguments of a process. */
export function requireNoSecrets(command: Command): void {
  const options = command.opts<{ readonly [Name in keyof typeof addresses]?: string }>();
  for (const [name, variable] of Object.entries(addresses)) {
    const address = options[name as keyof typeof addresses];
    if (address === undefined || withoutSecrets(address) === address) continue;
    const option = command.options.find((each) => each.attributeName() === name)?.long ?? name;
    throw new UsageError(
      `The address of ${option} has a password or a key, and every user of this machine can see the arguments of a process.`,
      `Leave out ${option}, and set the variable ${variable} to the address.`,
    );
  }
  const stores = [...command.processedArgs, command.opts<{ readonly attach?: unknown }>().attach];
  for (const store of stores) if (typeof store === 'string') requireNoPassword(store);
}

function requireNoPassword(store: string): void {
  if (!/^postgres(ql)?:\/\//i.test(store) || !URL.canParse(store)) return;
  const { password, searchParams } = new URL(store);
  if (password === '' && !searchParams.has('password')) return;
  throw new UsageError(
    'The address of the store has a password, and every user of this machine can see the arguments of a process.',
    'Leave the password out, and set the variable PGPASSWORD, or write it into the file ~/.pgpass.',
  );
}
