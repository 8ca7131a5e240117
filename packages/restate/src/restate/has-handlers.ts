import { namesIn } from '../names.ts';
import { Admin, quoted } from './admin.ts';

/**
 * Whether handlers of a namespace are registered with Restate, even if no process serves them now.
 *
 * @param location the URL of the administration, and the namespace
 * @throws HostError `host/bad-request` with the reason that Restate gives; the error of `fetch` when it cannot be reached
 */
export async function hasHandlers({
  admin,
  namespace,
}: {
  readonly admin: string;
  readonly namespace: string;
}): Promise<boolean> {
  const name = quoted(namesIn(namespace).instance);
  const rows = await new Admin(admin).query(`select name from sys_service where name = ${name}`);
  return rows.length > 0;
}

/**
 * The namespaces whose handlers are registered at a URL.
 *
 * @param admin the URL of the administration
 * @throws as `hasHandlers`
 */
export async function namespacesServedAt(admin: string, url: string): Promise<readonly string[]> {
  const rows = await new Admin(admin).query<{ readonly name: string; readonly endpoint: string }>(
    'select s.name, d.endpoint from sys_service s join sys_deployment d on s.deployment_id = d.id',
  );
  const ending = '.instance';
  return rows
    .filter(({ name, endpoint }) => name.endsWith(ending) && isSame(endpoint, url))
    .map(({ name }) => name.slice(0, -ending.length));
}

function isSame(endpoint: string, url: string): boolean {
  return URL.canParse(endpoint) && new URL(endpoint).href === new URL(url).href;
}
