import { read } from '@dramaturg/compiler/format';
import { openApi } from '@dramaturg/service';
import { expect, test } from 'vitest';
import { blocksOf, settingOf } from './blocks.ts';
import { mistakesOfCommands } from './commands-in.ts';

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string }[];
  readonly ports: readonly { readonly containerPort: number }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number };
}

interface Deployment {
  readonly kind: 'Deployment';
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly Container[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

interface Service {
  readonly kind: 'Service';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: object;
    readonly ports: readonly { readonly port: number }[];
  };
}

const [manifest] = blocksOf('docs/how-to/kubernetes.md').filter(
  (block) => settingOf(block, 'file') === 'dramaturg.yaml',
);
const [deployment, service] = manifest!.text
  .split(/^---$/m)
  .map((document) => read(document, { language: 'yaml' }).value) as [Deployment, Service];
const { labels } = deployment.spec.template.metadata;
const pod = deployment.spec.template.spec;
const container = pod.containers[0]!;
const optionValue = (name: string) =>
  container.args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);

test('the container calls a command that exists, with options that it has', async () => {
  expect([deployment.kind, service.kind]).toEqual(['Deployment', 'Service']);
  const command = `dramaturg ${container.args.join(' ').replaceAll(/\$\((\w+)\)/g, 'store-$1')}`;
  expect(await mistakesOfCommands(command)).toEqual([]);
  expect(command).toContain('dramaturg serve store-STORE');
  expect(container.env.map(({ name }) => name)).toEqual(['STORE']);
});

test('probes ask for paths of the service, at the port where it listens', () => {
  const port = Number(optionValue('http')?.split(':')[1]);
  expect(container.ports).toEqual([{ containerPort: port }]);
  const paths = Object.keys((openApi() as { readonly paths: object }).paths);
  for (const { httpGet } of [container.livenessProbe, container.readinessProbe]) {
    expect(httpGet.port).toBe(port);
    expect(paths).toContain(httpGet.path);
  }
});

test('files that the command reads are in volumes that are mounted', () => {
  const mounts = container.volumeMounts.map(({ mountPath }) => `${mountPath}/`);
  for (const file of [optionValue('tokens'), optionValue('definition')])
    expect(mounts.some((mount) => file?.startsWith(mount))).toBe(true);
  expect(container.volumeMounts.map(({ name }) => name)).toEqual(
    pod.volumes.map(({ name }) => name),
  );
});

test('the service finds the pods, under the name that they allow', () => {
  expect(deployment.spec.selector.matchLabels).toEqual(labels);
  expect(labels).toMatchObject(service.spec.selector);
  expect(service.metadata.name).toBe(optionValue('allow-host'));
  expect(service.spec.ports).toEqual([{ port: container.ports[0]!.containerPort }]);
});

test('a pod has the time to drain and to finish its turns', () => {
  const neededMs = Number(optionValue('drain')) + Number(optionValue('within'));
  expect(neededMs).toBeGreaterThan(0);
  expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(neededMs);
});
