import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { type PostgresServer, TcpProxy } from '@dramaturg/test-servers';

/** A line that a host process prints. */
export interface Line {
  readonly type: 'waiting' | 'ready' | 'stored' | 'refused' | 'lost' | 'stopped' | 'trouble';
  readonly at: number;
  readonly id?: string;
  readonly message?: string;
  readonly holder?: string;
}

export interface DeliveryLine {
  readonly id: string;
  readonly by: string;
  readonly at: number;
}

const program = join(import.meta.dirname, 'host-process.ts');

/** One host process with a connection of its own to the database. Can be killed, stalled and cut off. */
export class Member {
  readonly name: string;
  readonly proxy: TcpProxy;
  readonly lines: Line[] = [];
  readonly #url: string;
  readonly #deliveries: string;
  #child: ChildProcess | undefined;

  private constructor(name: string, proxy: TcpProxy, url: string, deliveries: string) {
    this.name = name;
    this.proxy = proxy;
    this.#url = url;
    this.#deliveries = deliveries;
  }

  static async create(
    name: string,
    { server, database, deliveries }: TroupeOptions & { readonly deliveries: string },
  ): Promise<Member> {
    const proxy = await TcpProxy.start({ port: server.port });
    const member = new Member(name, proxy, server.url(database, proxy.port), deliveries);
    member.spawn();
    return member;
  }

  spawn(): void {
    const child = spawn(process.execPath, [program, this.#url, this.name, this.#deliveries], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.lines.push(JSON.parse(line) as Line);
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  get isEnded(): boolean {
    return (
      this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null
    );
  }

  /** The last line that says which role the process has. */
  get role(): Line | undefined {
    return this.lines.findLast(({ type }) =>
      ['waiting', 'ready', 'lost', 'stopped'].includes(type),
    );
  }

  /** Waits for a line. */
  async line(type: Line['type'], after: number): Promise<Line> {
    return until(`"${type}" of ${this.name}`, () =>
      this.lines.find((each) => each.type === type && each.at >= after),
    );
  }

  async end(): Promise<void> {
    this.signal('SIGKILL');
    await until(`the end of ${this.name}`, () => this.isEnded || undefined);
    await this.proxy.stop();
  }
}

export interface TroupeOptions {
  readonly server: PostgresServer;
  readonly database: string;
}

/** Several host processes for one store. One is active, and the others wait. */
export class Troupe {
  readonly members: readonly Member[];
  readonly #folder: string;

  private constructor(members: readonly Member[], folder: string) {
    this.members = members;
    this.#folder = folder;
  }

  static async start(size: number, options: TroupeOptions): Promise<Troupe> {
    const folder = mkdtempSync(join(tmpdir(), 'takeover-'));
    const deliveries = join(folder, 'deliveries');
    writeFileSync(deliveries, '');
    const names = Array.from({ length: size }, (_, index) => `host ${index + 1}`);
    const members = await Promise.all(
      names.map((name) => Member.create(name, { ...options, deliveries })),
    );
    return new Troupe(members, folder);
  }

  get deliveries(): readonly DeliveryLine[] {
    const text = readFileSync(join(this.#folder, 'deliveries'), 'utf8');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as DeliveryLine);
  }

  /** Waits until one is active and all others wait. */
  async settled(): Promise<Member> {
    return until('one active host and others that wait', () => {
      const active = this.members.filter(({ role }) => role?.type === 'ready');
      const waiting = this.members.filter(({ role }) => role?.type === 'waiting');
      const isSettled = active.length === 1 && waiting.length === this.members.length - 1;
      return isSettled ? active[0] : undefined;
    });
  }

  /** Waits until another member has stored something. @returns the time of its acknowledgement */
  async takeover(from: Member, after: number): Promise<Line & { readonly member: Member }> {
    return until(`a takeover from ${from.name}`, () => {
      for (const member of this.members) {
        if (member === from) continue;
        const line = member.lines.find(({ type, at }) => type === 'stored' && at >= after);
        if (line) return { ...line, member };
      }
      return undefined;
    });
  }

  /** Waits until all processes have ended by themselves. */
  async ended(): Promise<void> {
    await until(
      'the end of all hosts',
      () => this.members.every(({ isEnded }) => isEnded) || undefined,
    );
  }

  async end(): Promise<void> {
    await Promise.all(this.members.map((each) => each.end()));
    rmSync(this.#folder, { recursive: true });
  }
}

async function until<Found>(what: string, find: () => Found | undefined): Promise<Found> {
  for (const begun = Date.now(); ; await pause(5)) {
    const found = find();
    if (found !== undefined) return found;
    if (Date.now() - begun > 300_000) throw new Error(`Waited in vain for ${what}.`);
  }
}
