import type { Preview } from '@storybook/react-vite';
import { isInTest } from '../src/is-in-test.ts';
import { untilAtRest } from '../src/stories/until-at-rest.ts';
import '@dramaturg/react/styles.css';
import '../src/workbench.css';

const preview: Preview = {
  parameters: {
    layout: 'fullscreen',
    controls: { expanded: true },
    a11y: { test: 'error' },
    // Otherwise Storybook prints the props of each component, which is slow.
    docs: { source: { type: 'code' } },
    options: {
      storySort: {
        order: [
          'Start here',
          'Tour',
          'Playground',
          'Plans',
          'Agent State Language',
          'NPC',
          'Context graphs',
          'Lifecycle',
          'Coverage',
          'Host',
          'Components',
        ],
      },
    },
  },
  globalTypes: {
    colours: {
      description: 'Colours',
      toolbar: {
        title: 'Colours',
        icon: 'contrast',
        items: [
          { value: 'auto', title: 'System' },
          { value: 'light', title: 'Light' },
          { value: 'dark', title: 'Dark' },
        ],
        dynamicTitle: true,
      },
    },
  },
  // Checking accessibility is slow: people start it by hand, and tests always run it.
  initialGlobals: { colours: 'auto', a11y: { manual: !isInTest } },
  // Runs before the check of accessibility, which fails on an element that moves during it.
  afterEach: ({ canvasElement }) =>
    isInTest ? untilAtRest(canvasElement.ownerDocument.body) : undefined,
  decorators: [
    (Story, { globals }) => {
      document.documentElement.dataset['colorScheme'] = String(globals['colours']);
      return <Story />;
    },
  ],
};

export default preview;
