# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Checks a site of HTML files: every relative link and anchor leads somewhere, nothing is loaded from elsewhere, and no
words in angle brackets were taken for tags. Doxygen's pages, below api/, may link to headings that it leaves out."""
import html.parser
import pathlib
import re
import urllib.parse

# Elements of HTML that mkdocs, its theme and Doxygen write.
ELEMENTS = set('''a abbr article aside b blockquote body br button caption center circle code col colgroup dd del details
div dl dt em fieldset font footer form g h1 h2 h3 h4 h5 h6 head header hr html i iframe img input kbd label legend li line
link main map area mark meta nav noscript object ol optgroup option p param path pre rect s script section select small
span strong style sub summary sup svg table tbody td template textarea tfoot th thead title tr tt u ul var wbr'''.split())
count = 0


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.anchors, self.unknown = [], [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag not in ELEMENTS:
            self.unknown.append(f'<{tag}> at line {self.getpos()[0]}')
        for name in ('id', 'name'):
            if values.get(name):
                self.anchors.add(values[name])
        if tag in ('a', 'area') and values.get('href'):
            self.links.append(values['href'])
        source = values.get('src') or (values.get('href') if tag == 'link' else None)
        if source and values.get('rel') != 'canonical':
            self.loaded.append(source)

    handle_startendtag = handle_starttag


def findings(site):
    """One line for each fault of the pages below `site`."""
    global count
    count = 0
    pages = {path: Page(path.read_text(encoding='utf-8')) for path in sorted(site.rglob('*.html'))}
    for path, page in pages.items():
        name = path.relative_to(site)
        for source in page.loaded:
            if re.match(r'([a-z]+:)?//', source):
                yield f'{name}: loads {source} from elsewhere'
        if name.parts[0] != 'api':
            yield from (f'{name}: unknown element {tag}' for tag in page.unknown)
        for link in page.links + page.loaded:
            if re.match(r'[a-z]+:|//', link) or name.name == '404.html':
                continue
            count += 1
            where, _, anchor = urllib.parse.unquote(link).partition('#')
            target = pathlib.Path(path.parent, where.partition('?')[0]).resolve() if where else path
            if target.is_dir():
                target /= 'index.html'
            if not target.exists():
                yield f'{name}: {link} leads nowhere'
            elif anchor and target in pages and name.parts[0] != 'api' and anchor not in pages[target].anchors:
                yield f'{name}: {link} has no such anchor'
