import { describe, expect, test } from 'vitest';
import { machineProcesses, type ProcessTable } from '../../src/store/owner/processes.ts';

const stat = (pid: number, began: number, state = 'S') =>
  `${pid} (a program) (1)) ${state} ${Array.from({ length: 18 }, () => 0).join(' ')} ${began} 0 0`;

/** A table with this process (start time 7) and others. */
function tableOf(others: Record<number, string>, fields: Partial<ProcessTable> = {}): ProcessTable {
  const stats: Record<number, string> = { [process.pid]: stat(process.pid, 7), ...others };
  return {
    space: 'boot pid:[1]',
    hasNamespaces: true,
    stat: (pid) => stats[pid],
    isInUse: (pid) => pid in stats,
    ...fields,
  };
}

const other = { pid: 99, host: 'here', space: 'boot pid:[1]', began: '8' };

describe('a process that the system shows', () => {
  test.each([
    ['the same start time', { 99: stat(99, 8) }, true],
    ['a later process with the same number', { 99: stat(99, 9) }, false],
    ['a zombie', { 99: stat(99, 8, 'Z') }, false],
    ['no process with this number', {}, false],
  ])('%s', (_, others, alive) => {
    expect(machineProcesses(tableOf(others)).isAlive(other)).toBe(alive);
  });

  test('this process', () => {
    const processes = machineProcesses(tableOf({}));
    expect(processes.self()).toMatchObject({ pid: process.pid, began: '7' });
    expect(processes.isAlive(processes.self())).toBe(true);
  });
});

describe('a process that the system hides (hidepid)', () => {
  const hidden = (isInUse: boolean) => tableOf({}, { isInUse: () => isInUse });

  test('is not known to be dead while its number is in use', () => {
    expect(machineProcesses(hidden(true)).isAlive(other)).toBeUndefined();
  });
  test('is dead when its number is free', () => {
    expect(machineProcesses(hidden(false)).isAlive(other)).toBe(false);
  });
});

describe('a process that cannot be seen', () => {
  test.each([
    ['in another container', 'boot pid:[2]'],
    ['before a restart of the machine', 'later-boot pid:[1]'],
    ['of a system without /proc', undefined],
  ])('%s', (_, space) => {
    const { space: _own, ...without } = other;
    const identity = space === undefined ? without : { ...without, space };
    expect(machineProcesses(tableOf({})).isAlive(identity)).toBeUndefined();
  });

  test('in a container without /proc', () => {
    const processes = machineProcesses(tableOf({}, { space: undefined }));
    const { space: _space, ...identity } = processes.self();
    expect(processes.isAlive({ ...identity, pid: 98, began: '8' })).toBeUndefined();
  });
});

test('without containers, a number that is not in use is a dead process', () => {
  const table = tableOf({}, { space: undefined, hasNamespaces: false, stat: () => undefined });
  const processes = machineProcesses(table);
  const { host } = processes.self();
  expect(processes.isAlive({ pid: 98, host })).toBe(false);
  expect(processes.isAlive({ pid: process.pid, host })).toBeUndefined();
  expect(processes.isAlive({ pid: 98, host: 'another machine' })).toBeUndefined();
});
