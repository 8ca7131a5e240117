import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { UsageError } from '../../usage-error.ts';

/** The address of a service, which commands accept in place of a store. */
export interface ServiceAddress {
  readonly url: URL;
  readonly token?: string;
}

/**
 * Reads the address of a service. The token is in the variable DRAMATURG_TOKEN: every user of the machine can see the arguments
 * of a process.
 *
 * @param store the argument of a command for its store
 * @returns undefined for a store
 */
export function serviceAt(store: string): ServiceAddress | undefined {
  if (!/^https?:\/\//i.test(store)) return undefined;
  const url = URL.canParse(store) ? new URL(store) : undefined;
  if (!url) {
    throw new UsageError(
      `"${withoutSecrets(store)}" is not a URL of a service.`,
      'Write it with its protocol and port, such as: http://localhost:8080',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      'The address of the service has a password.',
      'Leave it out, and put a token into the variable DRAMATURG_TOKEN.',
    );
  }
  const token = process.env['DRAMATURG_TOKEN'];
  return { url, ...(token ? { token } : {}) };
}
