// nodemailer, as it comes, against the SMTP fake at URL: sends one mail and prints
// what it heard as a line of JSON. With a third argument it tries that often.
import nodemailer from 'nodemailer';

const [url, token, tries = '1'] = process.argv.slice(2);
const {hostname, port} = new URL(url);
const transport = nodemailer.createTransport({
  host: hostname, port: Number(port), secure: false, ignoreTLS: true, auth: {user: 'anybody', pass: token},
});
const heard = [];
for (let n = 0; n < Number(tries); n++) {
  try {
    const info = await transport.sendMail({
      from: 'Shop <orders@shop.test>', to: ['bob@customer.test', 'ann@customer.test'], subject: 'Grüße',
      messageId: '<act-A@shop.test>', headers: {'X-Entity-Ref-ID': 'order-1001'},
      text: 'Two lamps.\n.\nOn their way.', html: '<p>Two lamps.</p>',
    });
    heard.push({response: info.response, accepted: info.accepted, id: info.messageId});
    break;
  } catch (e) {
    heard.push({code: e.code, status: e.responseCode ?? null, command: e.command ?? null});
  }
}
transport.close();
console.log(JSON.stringify(heard));
