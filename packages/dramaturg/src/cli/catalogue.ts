/** The commands of the help, each with a description of one line, in the groups where people look for them. */
export const catalogue = {
  Definitions: {
    new: 'write a first definition with comments, and its tests',
    check: 'find mistakes in definitions',
    compile: 'compile a definition to a state machine',
    lsp: 'serve editors by the Language Server Protocol',
    schema: 'print the JSON Schema of a format, for editors',
    types: 'write TypeScript types of the data of definitions',
    topology: 'print the map of a context graph',
    diff: 'compare two versions of a definition',
    run: 'hold a conversation, or run a workflow, in the terminal',
    test: 'run the tests of definitions',
    explore: 'generate tests that reach everything in definitions',
    simulate: 'let simulated persons talk to a definition, and count how it ends',
    compare: 'compare two simulations, and find where their conversations part',
    'test-state': 'run a single state of a workflow, with a mock of its calls',
  },
  'A service': {
    demo: 'a service with lively data, a chat page and the inspector',
    serve: 'run the instances of a store',
    mcp: 'serve definitions to assistants by the Model Context Protocol',
    token: 'create, list and revoke the tokens of a service',
    inspect: 'show the instances of a store on a page, now and in the past',
  },
  Instances: {
    start: 'start an instance of a definition',
    send: 'send an instance a message or an event',
    ps: 'list instances',
    show: 'show everything about an instance',
    items: 'list the items that a Map of a run works on',
    logs: 'print the transcript of an instance',
    tail: 'print events as they happen',
    checkpoints: 'list the save points of a run',
    fork: 'start a copy of an instance from an earlier point',
    pause: 'suspend an instance',
    resume: 'let an instance continue',
    migrate: 'move running instances to a new version of their definition',
    cancel: 'end an instance',
  },
  People: {
    decisions: 'list the open decisions',
    decide: 'take an open decision',
    intervene: 'write to the contact by hand',
    'take-over': 'take a conversation from the agent',
    'hand-back': 'return a conversation to the agent',
    note: 'leave a note for other people',
    acts: 'list what people have done',
    export: "print a person's data as JSON, or write a workflow for AWS",
    erase: "erase a person's data",
  },
  Stores: {
    backup: 'copy a store, also while a host runs it',
    restore: 'copy a backup into a new store',
    copy: 'copy a store into a store of another kind',
    verify: 'read everything in a store and compare its checksums',
    repair: 'say how a damaged store can be repaired, and do it',
  },
} as const;

export type CommandName = {
  [Group in keyof typeof catalogue]: keyof (typeof catalogue)[Group];
}[keyof typeof catalogue];
