import type { Store } from '@dramaturg/host';
import { namesIn } from './names.ts';
import { RestateStore } from './reading/restate-store.ts';
import { Admin } from './restate/admin.ts';
import { Ingress } from './restate/ingress.ts';

/** The store of a host on Restate, for tests that compare it. A process must serve the handlers. */
export function restateStore({
  ingress,
  admin,
  namespace,
}: {
  readonly ingress: string;
  readonly admin: string;
  readonly namespace: string;
}): Store {
  return new RestateStore({
    ingress: new Ingress(ingress),
    admin: new Admin(admin),
    names: namesIn(namespace),
  });
}
