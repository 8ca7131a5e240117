import type { Preview } from '@storybook/react-vite';
import { isInTest } from '../src/is-in-test.ts';
import '@dramaturg/react/styles.css';
import '../src/workbench.css';

const preview: Preview = {
  parameters: {
    layout: 'fullscreen',
    controls: { expanded: true },
    a11y: { test: 'error' },
    // Otherwise Storybook writes down whatever a component is given, which takes its time.
    docs: { source: { type: 'code' } },
    options: {
      storySort: {
        order: [
          'Start here',
          'Playground',
          'Plans',
          'Agent State Language',
          'NPC',
          'Context graphs',
          'Lifecycle',
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
          { value: 'auto', title: 'As the system' },
          { value: 'light', title: 'Light' },
          { value: 'dark', title: 'Dark' },
        ],
        dynamicTitle: true,
      },
    },
  },
  // The rules of accessibility are large: people ask for them, and tests always do.
  initialGlobals: { colours: 'auto', a11y: { manual: !isInTest } },
  decorators: [
    (Story, { globals }) => {
      document.documentElement.dataset['colorScheme'] = String(globals['colours']);
      return <Story />;
    },
  ],
};

export default preview;
