# ruff: noqa: RUF001 - letters that look like Latin ones are meant: titles in other scripts are the point of this file
"""The words of demo titles: languages, people, channels, songs and games."""

from typing import Final

from msgspec import Struct


class Tongue(Struct, frozen=True, kw_only=True):
    """Subjects of one language, and phrases with one `{}` for a subject."""

    subjects: tuple[str, ...]
    phrases: tuple[str, ...]


ENGLISH: Final = Tongue(
    subjects=(
        "tide tables", "sourdough", "map projections", "bicycle gears", "night trains", "bird calls", "colour spaces",
        "rain barrels", "letterpress", "solar ovens", "time zones", "garden soil", "paper planes", "lighthouses",
        "calendar design", "water clocks", "wood joints", "cloud types", "beehives", "index cards", "tea blends",
        "sundials", "stone walls", "folding boats", "kite strings", "star charts", "slow radio", "hedge mazes",
        "road signs", "moss gardens", "canal locks", "pocket knives", "sea shanties", "library stamps", "tram lines",
        "apple varieties", "chess endings", "rope knots", "weather diaries", "field notes", "small engines",
        "data tables", "unit tests", "type systems", "query plans", "colour contrast", "event loops", "file formats",
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
        subjects=("Bread day", "Garden tour", "Night train", "Harbour walk", "Bird list", "Tea club", "Book swap",
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
    "The Paper Lanterns - Slow Harbour", "Quiet Ferry - Nine Lights", "Moss & Sons - Kettle Song",
    "Aline Verre - Été lent", "Night Post - Tram Four", "Small Orchestra - Rain, Take Two", "Tin Kites - Upwind",
    "Хор у реки - Тихая вода", "月の庭 - 朝の歌", "The Index Cards - Catalogue", "Hollow Oak - Long Table",
    "Søren & the Tides - Nordlys",
)  # fmt: skip

GAMES: Final = ("Rail Garden", "Tiny Archipelago", "Lantern Keeper", "Hexfield", "星の郵便局")
