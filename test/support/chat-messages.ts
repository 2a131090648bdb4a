const PHOTO = 'https://cdn.example.com/photo.jpg';
const CLIP = 'https://cdn.example.com/clip.mp4';
const PAPER = 'https://cdn.example.com/paper.pdf';

const reply = (id: string, title: string): object => ({ type: 'reply', reply: { id, title } });
const interactive = (body: object): object => ({
  recipient_type: 'individual',
  type: 'interactive',
  interactive: body,
});
const buttons = (header: object | undefined, titles: string[]): object =>
  interactive({
    type: 'button',
    ...(header && { header }),
    body: { text: 'Shall we come on Monday?' },
    footer: { text: 'Reply within a day' },
    action: { buttons: titles.map((title, i) => reply(`answer-${i}`, title)) },
  });

/** One session message of each kind and form of the interface, without its numbers, and its rendering on a phone. */
export const SESSION_MESSAGES: Record<string, { message: object; shown: object }> = {
  'a text': {
    message: { recipient_type: 'individual', type: 'text', text: { body: 'Hello' } },
    shown: { body: 'Hello' },
  },
  'an image': {
    message: { recipient_type: 'individual', type: 'image', image: { link: PHOTO, caption: 'Your parcel' } },
    shown: { header: { type: 'image', link: PHOTO }, body: 'Your parcel' },
  },
  'a video': {
    message: { type: 'video', video: { link: CLIP } },
    shown: { header: { type: 'video', link: CLIP } },
  },
  'a document with a caption, which no phone shows': {
    message: {
      type: 'document',
      document: { link: PAPER, filename: 'invoice.pdf', caption: 'Your invoice' },
    },
    shown: { header: { type: 'document', link: PAPER, filename: 'invoice.pdf' } },
  },
  'one button': {
    message: buttons(undefined, ['Yes']),
    shown: {
      body: 'Shall we come on Monday?',
      footer: 'Reply within a day',
      buttons: [{ type: 'REPLY', text: 'Yes', id: 'answer-0' }],
    },
  },
  'three buttons under words': {
    message: buttons({ type: 'text', text: 'Your visit' }, ['Yes', 'No', 'Another day']),
    shown: {
      header: { type: 'text', text: 'Your visit' },
      buttons: [{ text: 'Yes' }, { text: 'No' }, { text: 'Another day' }],
    },
  },
  'buttons under an image': {
    message: buttons({ type: 'image', image: { link: PHOTO, provider: { name: 'cdn' } } }, ['Yes']),
    shown: { header: { type: 'image', link: PHOTO } },
  },
  'buttons under a video': {
    message: buttons({ type: 'video', video: { link: CLIP } }, ['Yes']),
    shown: { header: { type: 'video', link: CLIP } },
  },
  'buttons under a document': {
    message: buttons({ type: 'document', document: { link: PAPER, filename: 'plan.pdf' } }, ['Yes']),
    shown: { header: { type: 'document', link: PAPER, filename: 'plan.pdf' } },
  },
  'a list': {
    message: interactive({
      type: 'list',
      header: { type: 'text', text: 'Times' },
      body: { text: 'When shall we come?' },
      action: {
        button: 'Choose',
        sections: [
          { title: 'Monday', rows: [{ id: 'm9', title: '9 to 11', description: 'In the morning' }] },
          {
            title: 'Tuesday',
            rows: [
              { id: 't9', title: '9 to 11' },
              { id: 't14', title: '14 to 16' },
            ],
          },
        ],
      },
    }),
    shown: {
      body: 'When shall we come?',
      list: { button: 'Choose', sections: [{ title: 'Monday' }, { rows: [{ id: 't9' }, { id: 't14' }] }] },
    },
  },
  'a request for a location': {
    message: interactive({
      type: 'location_request_message',
      body: { text: 'Where are you?' },
      action: { name: 'send_location' },
    }),
    shown: { body: 'Where are you?', buttons: [{ text: 'send_location' }] },
  },
};
