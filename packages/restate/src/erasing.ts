import { type HostOptions, realClock } from '@dramaturg/host';
import { Copies, Eraser, linkCopy, type OnError, Retention } from '@dramaturg/host/engine';
import type { ContactEraser, CopyLink } from './contact/contact-object.ts';
import type { EventOrder } from './instance/messages.ts';
import type { ServiceNames } from './names.ts';
import type { RestateStore } from './reading/restate-store.ts';
import { type Admin, quoted } from './restate/admin.ts';
import type { Ingress, Target } from './restate/ingress.ts';

export interface ErasingOptions {
  readonly ports: NonNullable<HostOptions['ports']>;
  readonly retention: HostOptions['retention'];
  readonly ingress: Ingress;
  readonly admin: Admin;
  readonly names: ServiceNames;
  readonly store: RestateStore;
  readonly toInstance: (id: string, handler: string) => Target;
  readonly onError: OnError;
}

/**
 * Composes the parts that erase. The object of a contact runs its erasure, so that no message or start of the contact is handled
 * before the end. If the process dies before that, another repeats the erasure.
 */
export function composeErasing(options: ErasingOptions) {
  const { ports, retention: policy, ingress, names, store, toInstance, onError } = options;
  const now = () => Date.now();
  const eraser = new Eraser({
    store,
    live: {
      exclusive: (_, work) => work(),
      cancel: (id, reason) => {
        const order: EventOrder = { at: now(), event: { type: 'cancel', reason, internal: true } };
        return ingress.call(toInstance(id, 'take'), order);
      },
      withdraw: (id) => killWork(id, options),
      whenCreated: async () => {},
      onErased: () => {},
      whenForgotten: async () => {},
    },
    ports,
    onError,
  });
  if (policy) eraser.requireForget();
  const contactEraser: ContactEraser = {
    erase: (contact, running) => eraser.contact(contact, running),
    link: (contact, { original, copy, createdAt }) =>
      linkCopy(store, { contact, original, copy, createdAt }),
  };
  return {
    eraser,
    contactEraser,
    copies: new Copies({
      store,
      eraser,
      link: ({ contact, original, copy }) => {
        const link: CopyLink = { original, copy, createdAt: now() };
        return ingress.call({ service: names.contact, key: contact, handler: 'link' }, link);
      },
    }),
    retention: policy && new Retention({ policy, store, eraser, clock: realClock(), onError }),
  };
}

/** Ends the calls, deliveries and alarms of an instance. Restate keeps their contents until they end. */
async function killWork(id: string, { admin, names }: ErasingOptions): Promise<void> {
  const handlers = ['call', 'deliver', 'wake', 'discardCopy'].map(quoted).join(', ');
  const rows = await admin.query<{ readonly id: string }>(
    `select id from sys_invocation where target_service_name = ${quoted(names.instance)} and target_service_key = ${quoted(id)} and target_handler_name in (${handlers}) and status <> 'completed'`,
  );
  for (const { id: invocation } of rows) await admin.kill(invocation);
}
