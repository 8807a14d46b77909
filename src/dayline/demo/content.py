# ruff: noqa: RUF001 - letters that look like Latin ones are meant: titles in other scripts are the point of this file
"""Titles and websites of the demo data.

Every site has an unlimited number of pages. New ones appear each day and are read most in their first days, like news,
issues and videos; some visits go to old pages.
"""

from collections.abc import Callable
from datetime import date
from random import Random
from typing import Final

from msgspec import Struct


class Tongue(Struct, frozen=True, kw_only=True):
    """Subjects of one language, and phrases with one `{}` for a subject."""

    subjects: tuple[str, ...]
    phrases: tuple[str, ...]


ENGLISH: Final = Tongue(
    subjects=(
        "tide tables", "sourdough", "map projections", "bicycle gears", "night trains", "bird calls", "color spaces",
        "rain barrels", "letterpress", "solar ovens", "time zones", "garden soil", "paper planes", "lighthouses",
        "calendar design", "water clocks", "wood joints", "cloud types", "beehives", "index cards", "tea blends",
        "sundials", "stone walls", "folding boats", "kite strings", "star charts", "slow radio", "hedge mazes",
        "road signs", "moss gardens", "canal locks", "pocket knives", "sea shanties", "library stamps", "tram lines",
        "apple varieties", "chess endings", "rope knots", "weather diaries", "field notes", "small engines",
        "data tables", "unit tests", "type systems", "query plans", "color contrast", "event loops", "file formats",
        "release notes", "search indexes", "error messages", "keyboard layouts", "date arithmetic", "text encodings",
    ),
    phrases=(
        "How {} work", "{}: a short guide", "Ten small ideas about {}", "{}, explained slowly", "The history of {}",
        "What I learned from {}", "{} for beginners", "A year with {}", "Common questions about {}",
        "{} compared", "Why {} matter", "Notes on {}", "{} in practice", "The quiet return of {}",
        "Choosing {}", "Mending {}", "{} & friends", "A field guide to {}", "{} (part 2)", "In praise of {}",
        "{}: the missing manual", "Everything about {} <for busy people>", "Measuring {}", "Teaching {} to children",
    ),
)  # fmt: skip

# Every phrase has a non-ASCII character, so that a title in one of these languages always has one.
OTHER_TONGUES: Final = (
    Tongue(  # German
        subjects=("Kräutergarten", "Straßenkarten", "Nachtzüge", "Brotbacken", "Bücherregale", "Fahrräder", "Gezeiten",
                  "Bienenstöcke", "Wolkenbilder", "Holzverbindungen", "Wanderwege", "Sonnenuhren"),
        phrases=("{}: Tipps für Anfänger", "{} – kurz erklärt", "{}: häufige Fragen", "{} im Überblick",
                 "Schöne Bücher über {}", "{}: das große Gespräch"),
    ),
    Tongue(  # French
        subjects=("Le pain au levain", "Les trains de nuit", "La météo marine", "Le jardin d'été", "Les phares",
                  "Les étoiles", "La reliure", "Le vélo", "Les marées", "La forêt"),
        phrases=("{} : le guide complété", "{} expliqué simplement", "{} à petits pas", "{} – questions fréquentes",
                 "{}, une année après", "{} : idées reçues"),
    ),
    Tongue(  # Polish
        subjects=("Ogród", "Chleb na zakwasie", "Nocne pociągi", "Mapy", "Latarnie morskie", "Rowery", "Ptaki",
                  "Herbata", "Gwiazdy", "Książki"),
        phrases=("{}: krótki poradnik", "{} – pytania i odpowiedzi część 1", "{} dla początkujących", "{}: nowości",
                 "{} – co warto wiedzieć", "{}: zdjęcia z łąki"),
    ),
    Tongue(  # Turkish
        subjects=("Bahçe", "Ekmek", "Gece trenleri", "Haritalar", "Deniz fenerleri", "Bisiklet", "Çay", "Yıldızlar"),
        phrases=("{}: kısa rehber", "{} hakkında sık sorulanlar: güncel", "{} için öneriler", "{} üzerine notlar"),
    ),
    Tongue(  # Russian
        subjects=("Хлеб на закваске", "Ночные поезда", "Сад и огород", "Маяки", "Птицы", "Карты", "Велосипед", "Чай",
                  "Звёзды", "Облака", "Книги", "Погода"),
        phrases=("{}: краткое руководство", "{}: вопросы и ответы", "{} для начинающих", "{}: что нового",
                 "{} — заметки", "{}: десять советов"),
    ),
    Tongue(  # Greek
        subjects=("Ψωμί", "Νυχτερινά τρένα", "Φάροι", "Κήπος", "Χάρτες", "Ποδήλατο", "Άστρα", "Καφές"),
        phrases=("{}: σύντομος οδηγός", "{} για αρχάριους", "{}: συχνές ερωτήσεις", "{}: σημειώσεις"),
    ),
    Tongue(  # Japanese
        subjects=("小さな庭", "夜行列車", "灯台", "パン作り", "地図", "自転車", "野鳥", "星図", "お茶", "雲の名前"),
        phrases=("{}の基本", "{}入門", "はじめての{}", "{}についてのメモ", "{}のよくある質問", "{}と暮らす"),
    ),
    Tongue(  # Korean
        subjects=("작은 정원", "야간열차", "등대", "빵 굽기", "지도", "자전거", "별자리", "차 한 잔"),
        phrases=("{} 안내", "{} 입문", "{} 자주 묻는 질문", "{} 기록", "처음 만나는 {}"),
    ),
    Tongue(  # Chinese
        subjects=("小花园", "夜行火车", "灯塔", "面包", "地图", "自行车", "观鸟", "星图", "茶", "云"),
        phrases=("{}简明指南", "{}入门", "{}常见问题", "关于{}的笔记", "{}的一年"),
    ),
    Tongue(  # Arabic, written right to left
        subjects=("الحديقة", "قطارات الليل", "المنارات", "الخبز", "الخرائط", "الدراجات", "النجوم", "الشاي"),
        phrases=("{}: دليل قصير", "{}: أسئلة شائعة", "{} للمبتدئين", "ملاحظات: {}"),
    ),
    Tongue(  # Hindi
        subjects=("बगीचा", "रात की रेलगाड़ी", "रोटी", "नक्शे", "साइकिल", "तारे", "चाय", "बादल"),
        phrases=("{}: छोटी मार्गदर्शिका", "{}: सामान्य प्रश्न", "{} की शुरुआत", "{}: टिप्पणियाँ"),
    ),
    Tongue(  # English with emoji, as chats and recipes have it
        subjects=("Bread day", "Garden tour", "Night train", "Harbor walk", "Bird list", "Tea club", "Book swap",
                  "Star party", "Bike fix", "Kite day"),
        phrases=("🌱 {}", "{} 🎉", "{} ☕ weekly", "{} 🚲🌧️", "📚 {}: the list", "{} 👩‍🌾 photos"),
    ),
)  # fmt: skip

PEOPLE: Final = (
    "Mina Okafor", "Tomas Lind", "Priya Raman", "Ellen Brandt", "Sam Whitlock", "Nora Haddad", "Ivo Marsh",
    "Jürgen Weiß", "Zoë Martín", "Łukasz Dąbrowski", "Мария Лебедева", "田中 葵", "김하늘", "Ελένη Σταύρου",
)  # fmt: skip

CHANNELS: Final = (
    "general", "design", "backend", "releases", "help-desk", "reading-club", "garden-talk", "lunch", "café-☕",
)  # fmt: skip

MEETINGS: Final = (
    "Stand-up", "Weekly planning", "Design review", "One to one", "Retrospective", "Release check", "Reading club",
    "Büro-Runde", "定例ミーティング",
)  # fmt: skip

SONGS: Final = (
    "The Paper Lanterns - Slow Harbor", "Quiet Ferry - Nine Lights", "Moss & Sons - Kettle Song",
    "Aline Verre - Été lent", "Night Post - Tram Four", "Small Orchestra - Rain, Take Two", "Tin Kites - Upwind",
    "Хор у реки - Тихая вода", "月の庭 - 朝の歌", "The Index Cards - Catalogue", "Hollow Oak - Long Table",
    "Søren & the Tides - Nordlys",
)  # fmt: skip

GAMES: Final = ("Rail Garden", "Tiny Archipelago", "Lantern Keeper", "Hexfield", "星の郵便局")


# Share of the phrases; editors and terminals are nearly all ASCII, and a quarter of all titles should not be.
OTHER_TONGUE_SHARE = 0.26


def phrase(rng: Random) -> str:
    """A headline in English or, about one in four, in another language."""
    tongue = tongue_of(rng)
    text = rng.choice(tongue.phrases).format(rng.choice(tongue.subjects))
    return text[0].upper() + text[1:]


def subject(rng: Random) -> str:
    """The subject of a headline, in English."""
    return rng.choice(ENGLISH.subjects)


def tongue_of(rng: Random) -> Tongue:
    """English, or another language for `OTHER_TONGUE_SHARE` of the calls."""
    return rng.choice(OTHER_TONGUES) if rng.random() < OTHER_TONGUE_SHARE else ENGLISH


def slug(text: str) -> str:
    """The text for a URL: ASCII letters and digits with hyphens, or `page` if none are left."""
    kept = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in text.lower())
    return "-".join(kept.split()) or "page"


NEW_PAGES_A_DAY = 2.0  # for a site of freshness 1
MEAN_AGE_OF_A_PAGE = 6.0  # days, at the time of a visit
OLD_PAGE_SHARE = 0.08
PAGES_BEFORE_THE_FIRST_DAY = 400


class WebPage(Struct, frozen=True, kw_only=True):
    """A page in a browser tab."""

    url: str
    title: str
    is_audible: bool = False
    is_unread_counted: bool = False  # its title may start with a number, as in "(3) Inbox"


class Site(Struct, frozen=True, kw_only=True):
    """A host, the function for its pages by number, and how often it has new ones."""

    host: str
    page: Callable[[Random, int], WebPage]
    freshness: float = 1.0


def visit(site: Site, *, seed: int, day: date, rng: Random) -> WebPage:
    """A page of the site that a user would visit on `day`."""
    newest = PAGES_BEFORE_THE_FIRST_DAY + day.toordinal() % 100_000 * NEW_PAGES_A_DAY * site.freshness
    age = rng.expovariate(1 / MEAN_AGE_OF_A_PAGE) * NEW_PAGES_A_DAY * site.freshness
    if rng.random() < OLD_PAGE_SHARE:
        age *= 30
    number = max(0, int(newest - age))
    # Seeded by the page, so that its content is the same on every visit.
    return site.page(Random(f"{seed}/{site.host}/{number}"), number)


def _documentation(dice: Random, number: int) -> WebPage:
    topic = subject(dice)
    version = f"{1 + number % 4}.{number % 17}"
    title = f"{topic.capitalize()} - Reference {version}"
    return WebPage(url=f"https://docs.example.org/{version}/{slug(topic)}.html", title=title)


def _issue(dice: Random, number: int) -> WebPage:
    kind, path = dice.choice((("Issue", "issues"), ("Pull request", "pulls")))
    title = f"{kind} #{number % 10_000}: {phrase(dice)} - Code"
    return WebPage(url=f"https://code.example.org/orchard/{path}/{number % 10_000}", title=title)


def _wiki(dice: Random, _number: int) -> WebPage:
    title = phrase(dice)
    return WebPage(url=f"https://wiki.example.org/{slug(title)}", title=f"{title} - Wiki")


def _question(dice: Random, number: int) -> WebPage:
    title = f"{subject(dice)} - {phrase(dice)} - Questions"
    return WebPage(url=f"https://questions.example.com/q/{number}", title=title)


def _search(dice: Random, _number: int) -> WebPage:
    words = f"{subject(dice)} {subject(dice)}"
    return WebPage(url=f"https://search.example.com/?q={words.replace(' ', '+')}", title=f"{words} - Search")


def _mail(dice: Random, number: int) -> WebPage:
    title = dice.choice(("Inbox - robin@example.org - Mail", f"{phrase(dice)} - robin@example.org - Mail"))
    return WebPage(url=f"https://mail.example.com/u/0/#inbox/{number}", title=title, is_unread_counted=True)


def _board(dice: Random, number: int) -> WebPage:
    title = f"{phrase(dice)} - Card {number % 5_000} - Board"
    return WebPage(url=f"https://board.example.net/cards/{number % 5_000}", title=title)


def _news(dice: Random, number: int) -> WebPage:
    title = phrase(dice)
    return WebPage(url=f"https://news.example.com/{number}/{slug(title)}", title=f"{title} | The Daily Example")


def _video(dice: Random, number: int) -> WebPage:
    title = f"{phrase(dice)} [{dice.randint(1, 59)}:{dice.randint(0, 59):02}] - Video"
    return WebPage(url=f"https://video.example.net/watch?v={number:08x}", title=title, is_audible=True,
                is_unread_counted=number % 3 == 0)  # fmt: skip


def _recipe(dice: Random, number: int) -> WebPage:
    title = phrase(dice)
    return WebPage(url=f"https://recipes.example.com/{slug(title)}-{number}", title=f"{title} - Recipes")


def _shop(dice: Random, number: int) -> WebPage:
    topic = subject(dice)
    title = f"{topic.capitalize()}: from {dice.randint(4, 90)}.{dice.randint(0, 99):02} - Shop"
    return WebPage(url=f"https://shop.example.com/item/{number}?ref={slug(topic)}", title=title)


def _forum(dice: Random, number: int) -> WebPage:
    title = f"{phrase(dice)} - page {1 + number % 7} - Forum"
    return WebPage(
        url=f"https://forum.example.net/t/{number}?page={1 + number % 7}", title=title, is_unread_counted=True
    )


def _map(dice: Random, _number: int) -> WebPage:
    town = dice.choice(("Old Harbor", "Mill Lane", "Östermalm", "North Station", "Café Линден", "植物園", "Tern Bay"))
    at = f"{dice.randint(4000, 5999) / 100},{dice.randint(100, 1999) / 100}"
    return WebPage(url=f"https://maps.example.org/@{at}", title=f"{town} - Maps")


WORK_SITES: Final = (
    Site(host="docs.example.org", page=_documentation, freshness=0.5),
    Site(host="code.example.org", page=_issue, freshness=2.0),
    Site(host="wiki.example.org", page=_wiki, freshness=0.5),
    Site(host="questions.example.com", page=_question, freshness=1.5),
    Site(host="search.example.com", page=_search),
    Site(host="mail.example.com", page=_mail, freshness=1.5),
    Site(host="board.example.net", page=_board),
)

HOME_SITES: Final = (
    Site(host="news.example.com", page=_news, freshness=2.0),
    Site(host="video.example.net", page=_video, freshness=1.5),
    Site(host="recipes.example.com", page=_recipe, freshness=0.3),
    Site(host="shop.example.com", page=_shop),
    Site(host="forum.example.net", page=_forum, freshness=1.5),
    Site(host="mail.example.com", page=_mail, freshness=1.5),
    Site(host="maps.example.org", page=_map, freshness=0.3),
)
